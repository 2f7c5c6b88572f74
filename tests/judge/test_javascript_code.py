"""JavaScript is proved by what it is made of, and only where texts and code can be told apart."""

from automode.judge.javascript_code import is_proved
from tests.rows import each_row

PROVED = [
    "console.log(require('./package.json').version)",
    "const fs=require('fs'); console.log(JSON.parse(fs.readFileSync('a.json','utf8')).x)",
    "const {readFileSync}=require('node:fs'); console.log(readFileSync('a').length)",
    "const d=require('./package.json');for(const k of Object.keys(d.scripts)){console.log(k)}",
    "console.log([1,2].map(x=>x*2)) // it's done",
    'const h=require("fs").readFileSync("x","utf8");console.log(h.match(/href="([^"]*)"/g))',
    "const n=(x)=>x+1; console.log(`n: ${n(1)} ${[1].map(x=>`<${x}>`).join('')}`)",
    "process.exit(0)",
    "const fs=require('fs'); for(const n of ['a','b']) console.log(fs.readFileSync(`src/${n}.ts`))",
    "const d=require('./package.json');for(const k of Object.keys(d)){console.log(k, d[k])}",
]
NOT_PROVED = [
    "require('./lib/db').connect()",
    "require('fs').rmSync('src')",
    "const fs=require('fs');const f=fs['rmSync'];f('x')",
    "const {rmSync}=require('fs');rmSync('x')",
    "['src'].forEach(require('fs').rmSync)",
    "const fs=require('fs'); ['src'].forEach(fs.rmSync)",
    "const fs=require('fs'); const g=fs; g.rmSync('x')",
    "require('child_process').execSync('x')",
    "console.log(`${require('child_process').execSync('x')}`)",
    "const t=`${`${fs.rmSync('x')}`}`",
    "process.env.TOKEN",
    "process.kill(1)",
    "fetch('http://x')",
    "fetch`x`",
    "eval('1')",
    "1/eval(x)/2",
    "/'/;require('fs').rmSync('x');/'/",
    "if(1)/'/.test(x);require('fs').rmSync('x');'/'",
    "// it's\nrequire('fs').rmSync('x') //'",
    "import('./x.js').then(m=>m.run())",
    "[].constructor.constructor('x')()",
    "let get=parseInt['constructor']; let set=get('return 1'); set()",
    "const k='con'+'structor'; const F=parseInt[k]; const g=['x'].map(F); [1].map(g[0])",
    "const {'constructor': get}=parseInt; get('x')",
    "const get=fetch; get('https://x')",
    "https.get('https://x')",
    "[1].map(http=>0); http.get('http://x')",
    "(x => x)(fetch)",
    "console.log(require('fs').readFileSync(process.argv[1]+x))",
    "const fs=require('fs'); fs.readdirSync('.').forEach(f=>console.log(fs.readFileSync(f)))",
]


@each_row("code", PROVED)
def test_code_that_looks_computes_and_prints_is_proved(code: str) -> None:
    assert is_proved(code)


@each_row("code", NOT_PROVED)
def test_whatever_is_not_listed_is_not_proved(code: str) -> None:
    assert not is_proved(code)
