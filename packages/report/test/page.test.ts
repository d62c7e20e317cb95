import { describe, expect, it } from 'vitest'
import { figure, html, Html, htmlTable, page } from '../src/index.js'

describe('html', () => {
  it('escapes what is put in, in text and in attributes, and leaves HTML as it is', () => {
    const name = `<b onclick="x">&'`
    expect(html`<p title="${name}">${name}${html`<i>${1}</i>`}${undefined}${['a', html`<br>`]}</p>`.text).toBe(
      '<p title="&#60;b onclick=&#34;x&#34;&#62;&#38;&#39;">&#60;b onclick=&#34;x&#34;&#62;&#38;&#39;<i>1</i>a<br></p>',
    )
  })

  it('keeps line breaks, and makes other control characters spaces', () => {
    expect(html`${'a\nb\u0000c\u001Bd'}`.text).toBe('a\nb c d')
  })
})

describe('page', () => {
  const whole = page('A <title>', html`<p>lead</p>`, [
    { title: 'One & two', content: htmlTable([{ title: 'policy' }, { title: 'n', align: 'right' }], [['<fifo>', 1], ['fair', html`<b>2</b>`]]) },
    { title: 'Two', content: figure('<svg></svg>', 'a note') },
    { title: 'Three', content: 'text' },
  ])

  it('is one document with its parts under headings, and links to them', () => {
    expect(whole.startsWith('<!DOCTYPE html>\n<html lang="en">')).toBe(true)
    expect(whole).toContain('<title>A &#60;title&#62;</title>')
    expect([...whole.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, title]) => title)).toEqual(['One &#38; two', 'Two', 'Three'])
    for (const id of ['part-1', 'part-2', 'part-3']) expect(whole.split(`"#${id}"`).length + whole.split(`id="${id}"`).length).toBe(4)
    expect(whole).toContain('<figure><svg></svg><figcaption>a note</figcaption></figure>')
  })

  it('shows tables with numbers to the right', () => {
    expect(whole).toContain('<tr><th scope="row">&#60;fifo&#62;</th><td class="number">1</td></tr>')
    expect(whole).toContain('<th scope="row">fair</th><td class="number"><b>2</b></td>')
  })

  it('asks for nothing from anywhere, and may not run scripts', () => {
    expect(whole).not.toMatch(/https?:|<script|<link|src=|url\(/)
    expect(whole).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(new Html('x').text).toBe('x')
  })
})
