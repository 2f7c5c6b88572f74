"""Options and words that are a password to one program, and something else to the next."""

from automode.classifier.redaction import Redactor
from automode.classifier.secret_formats_placed import PLACES
from tests.rows import each_row

SECRET = "swordfish"  # a word: only its place gives it away

HANDED_OVER = (
    *("mysql -p@", "mysql -u root -p'@ and more' app", 'mysqldump -e "a; b" -p"@" app'),
    *("sshpass -p @ ssh h", "sshpass -v -p'@' ssh h", "docker login -u me -p @ host"),
    *(
        "docker --config x login -p=@",
        "podman login \\\n  -u me \\\n  -p @",
        "helm registry login -p @",
    ),
    *("sudo docker exec box docker login -p @", r'bash -c "docker login -p \"@\""'),
    *("az login -u me -p @", "mongosh 'mongodb://h/?a=1&b=2' -p @", "mongodump -p@", "cqlsh -p @"),
    *(
        "redis-cli -h h -a @ ping",
        "valkey-cli -a '@'",
        "ldapsearch -x -w @ -b dc=x",
        "ldapadd -xw @",
    ),
    *("zip -P @ a.zip x", "zip -rP @ a x", "unzip -P '@' a.zip", "7z a -p@ x.7z", "7za x y -p'@'"),
    *("rar a -hp@ x", "sqlcmd -S h -P @", "ipmitool -H h -P @ power", "mosquitto_pub -t x -P @"),
    *("smbclient //h/s -U me%@", "lftp -u me,@ h", "rabbitmqctl -n x add_user me @"),
    *("openssl enc -k @ -in x", "openssl passwd -6 @", "openssl rsa -passin pass:@ -in x"),
    *(
        "openssl enc -aes-256-cbc -pass 'pass:@'",
        "htpasswd -b file me @",
        "htpasswd -nbB me '@' > f",
    ),
    *("htpasswd -c -b 'file' me @ && ls", "x=$(htpasswd -nb me @)", "ssh h 'htpasswd -nb me @'"),
    *("curl -s -b 'sid=@; x=@' h", "curl -bsid=@ h", "machine h login me password @"),
    *("machine h\n  login me\n  password @\n", r"printf 'machine h\nlogin me\npassword @\n'"),
    "default login me password @",
    'docker exec mysql sh -c "mysql -uroot -p@"',
    "ssh mysql \"mysql -u root -p@ -e 'show tables'\"",
    f"mysqldump {'--ignore-table=app.one ' * 8}--single-transaction -p@ app",
    f'mysql -e "{"select 1; " * 35}" -p@',
)


@each_row("text", HANDED_OVER)
def test_a_password_is_replaced(text: str) -> None:
    shown = Redactor(b"k").text(text.replace("@", SECRET))

    assert SECRET not in shown
    assert "[secret:" in shown


READABLE = (
    *("mkdir -p swordfish", "tar -xpf swordfish", "grep -a swordfish x", "cp -p swordfish mysql"),
    *(
        "docker run -p 8080:80 swordfish",
        "docker run --name login -p 8080:80 x",
        "gh auth login -p ssh",
    ),
    *(
        "mysql -u root -p app",
        "mysql -p$PASS app",
        "mysql; mkdir -p swordfish",
        "mysql -P 3306 app",
    ),
    *(
        "sshpass -e ssh -p 2222 h",
        "mongosh --port 27017",
        "zip -r swordfish.zip x",
        "7z x swordfish.7z",
    ),
    *("redis-cli -p 6379 ping", "docker login -p $(cat x)", 'docker login -p "$PASS"'),
    *("ldapsearch -W -b dc=swordfish", "openssl rsa -passin env:SWORDFISH", "openssl passwd -6"),
    *("htpasswd -c file swordfish", "curl -b cookies.txt swordfish", "curl -k -b $JAR swordfish"),
    *("the machine has a login and a password", "first pass:swordfish", "rabbitmqctl list_users"),
)


@each_row("text", READABLE)
def test_the_same_letter_elsewhere_is_none(text: str) -> None:
    assert Redactor(b"k").text(text) == text


FLOODS = [f"{place.marks[0]} " * 60 + "-" for place in PLACES]


@each_row("piece", [*FLOODS, 'zip "', "docker --a ", "htpasswd -b a "])
def test_a_flood_of_programs_is_searched_once(piece: str) -> None:
    """Takes half a minute if every program reads what follows all of them."""
    assert Redactor(b"k").text(piece * (400_000 // len(piece)))
