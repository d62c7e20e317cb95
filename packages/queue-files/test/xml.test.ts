import { describe, expect, it } from 'vitest'
import { readXml } from '@sched/queue-files'
import { messageOf } from './message-of.js'

const message = (text: string) => messageOf(() => readXml(text, 'f.xml'))

describe('queue files as XML', () => {
  it('gives elements, attributes, text and lines; comments are passed over, CDATA is text', () => {
    const root = readXml('<?xml version="1.0"?>\n<a>\n  <!-- <b/> -->\n  <b x="1"> two\n words </b>\n  <c><![CDATA[<d>]]></c>\n</a>', 'f.xml')
    expect(root).toMatchObject({ name: 'a', line: 2, children: [{ name: 'b', line: 4, attributes: { x: '1' }, text: 'two\n words' }, { name: 'c', line: 6, text: '<d>' }] })
  })

  it('knows the five entities of XML and characters by number', () => {
    expect(readXml('<a>&lt;&gt;&amp;&quot;&apos;&#65;</a>', 'f.xml').text).toBe('<>&"\'A')
  })

  it.each([
    ['a document type', '<!DOCTYPE a>\n<a/>', 1, 'DOCTYPE'],
    ['an external entity', '<?xml version="1.0"?>\n<!DOCTYPE a [\n<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<a>&x;</a>', 2, 'DOCTYPE'],
    ['a billion laughs', `<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "${'&x;'.repeat(10)}">]>\n<a>&y;</a>`, 1, 'DOCTYPE'],
    ['an entity behind a comment', '<!-- harmless -->\n<a>\n<!ENTITY x "y"></a>', 3, 'ENTITY'],
  ])('refuses %s before anything is parsed', (_, text, line, what) => {
    expect(message(text)).toBe(`"f.xml" line ${line}: a document type (<!${what}) is not read: entities could name other files or expand without end. Remove it; queue files need none.`)
  })

  it.each([
    ['an entity that nobody declared', '<a>\n\n&foo;</a>', '"f.xml" line 3: is no well-formed XML: entity not found:&foo;. Correct it there.'],
    ['tags that do not match', '<a>\n<b></a>', '"f.xml" line 2: is no well-formed XML: Opening and ending tag mismatch: "b" != "a". Correct it there.'],
    ['an end that is missing', '<a>\n<b>', '"f.xml" line 2: is no well-formed XML: unclosed xml tag(s): a, b. Correct it there.'],
    ['a control character', '<a>\n<b c="x&#0;y"/></a>', '"f.xml" line 2: <b> holds a control character, which XML has none of. Remove it.'],
    ['nothing', '', '"f.xml": is no well-formed XML: missing root element. Correct it there.'],
    ['an end that was written twice', '<a x="/>">\n<!-- </a> --></a>\n\n</a>', '"f.xml" line 4: is no well-formed XML: </a> ends an element that has not begun. Correct it there.'],
    ['an end before all', '<b/>\n</b><a/>', '"f.xml" line 2: is no well-formed XML: </b> ends an element that has not begun. Correct it there.'],
    ['two roots', '<a/>\n<b/>', '"f.xml" line 2: is no well-formed XML: '],
  ])('tells the line of %s', (_, text, expected) => {
    expect(message(text)).toContain(expected)
  })

  it('refuses elements that lie too deep in each other', () => {
    expect(message(`${'<a>'.repeat(101)}${'</a>'.repeat(101)}`)).toBe('"f.xml" line 1: elements lie 101 deep in each other, more than 100. Is it the right file?')
  })
})
