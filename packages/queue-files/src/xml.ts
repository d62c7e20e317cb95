import { SchedError } from '@sched/core'
import { DOMParser, ParseError, type Element, type Node } from '@xmldom/xmldom'

/** An element of an XML text. */
export interface XmlElement {
  /** Name of the tag. */
  readonly name: string
  /** Line on which the tag begins, 1-based. */
  readonly line: number
  /** Values of the attributes, by name. */
  readonly attributes: Readonly<Record<string, string>>
  /** The elements inside it, in order. */
  readonly children: readonly XmlElement[]
  /** The text directly inside it, trimmed; CDATA counts as text. */
  readonly text: string
}

/** Most levels of elements; no queue tree is nearly as deep. */
const DEEPEST = 100
/** Most characters; a file of 10,000 queues has some 5 million. */
const LONGEST = 64_000_000
const ELEMENT = 1
const TEXT = 3
const CDATA = 4

/**
 * The root element of an XML text. Document types and declared entities are refused before anything is parsed, so that no other file is read and no entity
 * expands without end. Throws `BAD_INPUT` with the line.
 */
export function readXml(text: string, file: string): XmlElement {
  refuseDocumentTypes(text, file)
  const document = parsed(text.replace(/^\uFEFF/, ''), file)
  const root = document.documentElement
  if (root === null) throw new SchedError('BAD_INPUT', 'has no element.', { file }, 'It should begin with <allocations> or <configuration>.')
  return element(root, file, 1)
}

function refuseDocumentTypes(text: string, file: string): void {
  if (text.length > LONGEST) throw new SchedError('BAD_INPUT', `is ${text.length} characters long, more than ${LONGEST}.`, { file }, 'Is it the right file?')
  const plain = text.replaceAll(/<!--[^]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
  const found = /<!\s*(DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i.exec(plain)
  if (found === null) return
  const line = plain.slice(0, found.index).split('\n').length
  throw new SchedError('BAD_INPUT', `a document type (<!${found[1]?.toUpperCase() ?? ''}) is not read: entities could name other files or expand without end.`, { file, line }, 'Remove it; queue files need none.')
}

function parsed(text: string, file: string) {
  let mistake: SchedError | undefined
  const note = (message: string, locator: { lineNumber?: number } | undefined) => {
    const extra = /element parse error/.test(message) ? extraEnd(text, file) : undefined // the parser fails there, in words about itself
    if (extra !== undefined) return (mistake ??= extra)
    const entity = /&[^;\s]+;?/.exec(message)?.[0] // the parser gives the line on which the text around an entity begins
    const line = entity === undefined ? locator?.lineNumber : text.slice(0, Math.max(0, text.indexOf(entity))).split('\n').length
    mistake ??= new SchedError('BAD_INPUT', `is no well-formed XML: ${plainly(message)}`, { file, line: line === 0 ? undefined : line }, 'Correct it there.')
    return mistake
  }
  try {
    const document = new DOMParser({
      onError: (_, message, context: { locator?: { lineNumber?: number } } | undefined) => {
        throw note(message, context?.locator)
      },
    }).parseFromString(text, 'application/xml')
    mistake = extraEnd(text, file)
    if (mistake === undefined) return document
  } catch (error) {
    throw note(error instanceof Error ? error.message : String(error), error instanceof ParseError ? (error.locator as { lineNumber?: number } | undefined) : undefined)
  }
  throw mistake
}

/** The mistake of a text in which an element ends where none has begun, of which the parser lets some through. */
function extraEnd(text: string, file: string): SchedError | undefined {
  const masked = text.replaceAll(/<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>/g, (other) => other.replaceAll(/[^\n]/g, ' '))
  let depth = 0
  for (const { 0: tag, index } of masked.matchAll(/<(?:"[^"]*"|'[^']*'|[^"'>])*>/g)) {
    depth += tag.startsWith('</') ? -1 : tag.endsWith('/>') ? 0 : 1
    if (depth < 0) return new SchedError('BAD_INPUT', `is no well-formed XML: ${tag} ends an element that has not begun.`, { file, line: text.slice(0, index).split('\n').length }, 'Correct it there.')
  }
  return undefined
}

// eslint-disable-next-line no-control-regex -- the control characters that XML excludes: the parser lets them through as &#0; and the like
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/

const plainly = (message: string): string => `${message.replace(/^\[xmldom \w+\]\s*/, '').replace(/\s*@#\[line.*$/s, '').replaceAll('\n', ' ').trim()}.`

function element(node: Element, file: string, depth: number): XmlElement {
  const line = node.lineNumber ?? 0
  if (depth > DEEPEST) throw new SchedError('BAD_INPUT', `elements lie ${depth} deep in each other, more than ${DEEPEST}.`, { file, line }, 'Is it the right file?')
  const attributes: Record<string, string> = {}
  for (let i = 0; i < node.attributes.length; i++) {
    const attribute = node.attributes.item(i)
    if (attribute !== null) attributes[attribute.name] = attribute.value
  }
  const children: XmlElement[] = []
  let text = ''
  for (let child: Node | null = node.firstChild; child !== null; child = child.nextSibling)
    if (child.nodeType === ELEMENT) children.push(element(child as Element, file, depth + 1))
    else if (child.nodeType === TEXT || child.nodeType === CDATA) text += child.nodeValue ?? ''
  if ([text, ...Object.values(attributes)].some((each) => unwritable.test(each))) throw new SchedError('BAD_INPUT', `<${node.tagName}> holds a control character, which XML has none of.`, { file, line }, 'Remove it.')
  return { name: node.tagName, line, attributes, children, text: text.trim() }
}
