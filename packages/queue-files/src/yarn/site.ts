import { SchedError } from '@sched/core'
import { included, type SourceText } from '../source-text.js'
import { readXml, type XmlElement } from '../xml.js'
import type { Setting } from '../setting.js'

/** Properties of a `<configuration>` by name, the last of equal names, unless an earlier one is final. Throws `BAD_INPUT` with the line. */
export function readProperties(source: SourceText, root = readXml(source.text, source.file)): Map<string, Setting> {
  const found = new Map<string, Setting>()
  take(source, root, found, new Set(), [])
  return expanded(found)
}

/** The same of several files, as if they were one. */
export function readAllProperties(sources: readonly SourceText[]): Map<string, Setting> {
  const found = new Map<string, Setting>()
  const final = new Set<string>()
  for (const source of sources) take(source, readXml(source.text, source.file), found, final, [])
  return expanded(found)
}

/** Adds the properties of a file, and in the place of an `xi:include` those of that one, or of its fallback where that is not there. */
function take(source: SourceText, root: XmlElement, found: Map<string, Setting>, final: Set<string>, around: readonly string[]): void {
  const { file } = source
  if (root.name !== 'configuration') throw new SchedError('BAD_INPUT', `begins with <${root.name}>, expected <configuration>.`, { file, line: root.line })
  for (const each of root.children) {
    if (/^(\w+:)?include$/.test(each.name)) {
      const path = each.attributes['href']
      if (path === undefined || path === '') throw new SchedError('BAD_INPUT', `<${each.name}> has no href.`, { file, line: each.line }, 'Write href="FILE" in it.')
      const fallback = each.children.find(({ name }) => /^(\w+:)?fallback$/.test(name))
      if (fallback !== undefined && source.include?.(path) === undefined) take(source, { ...fallback, name: 'configuration' }, found, final, around)
      else {
        const other = included(source, path, each.line, around)
        take(other, readXml(other.text, other.file), found, final, [...around, file])
      }
      continue
    }
    if (each.name !== 'property')
      throw new SchedError('BAD_INPUT', `<${each.name}> in a configuration is not read.`, { file, line: each.line }, 'It holds <property> elements.')
    const name = field(each, 'name') ?? each.attributes['name']
    const value = field(each, 'value') ?? each.attributes['value'] ?? ''
    if (name === undefined || name === '') throw new SchedError('BAD_INPUT', 'a property has no name.', { file, line: each.line }, 'Write <name>...</name> in it.')
    if (!final.has(name)) found.set(name, { name, value, file, line: lineOf(each, 'value') ?? each.line })
    if ((field(each, 'final') ?? each.attributes['final']) === 'true') final.add(name)
  }
}

const field = (property: XmlElement, name: string): string | undefined => property.children.find((each) => each.name === name)?.text
const lineOf = (property: XmlElement, name: string): number | undefined => property.children.find((each) => each.name === name)?.line

/** Replaces `${other.property}` as Hadoop does, from the same file, at most 20 deep. */
function expanded(properties: Map<string, Setting>): Map<string, Setting> {
  for (const [name, property] of properties) {
    let value = property.value
    for (let depth = 0; value.includes('${'); depth++) {
      const variable = /\$\{([^}$]+)\}/.exec(value)
      const known = variable === null ? undefined : properties.get(variable[1] ?? '')
      if (variable === null || known === undefined || depth === 20) break // Hadoop leaves what it does not know as it is
      value = value.replace(variable[0], () => known.value)
    }
    if (value !== property.value) properties.set(name, { ...property, value })
  }
  return properties
}

/** The number of decimal digits, perhaps with an exponent; NaN for anything else, also for 0x10 and an empty text. */
export const decimalOf = (text: string): number => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN)

/** Java reads fractions with the suffix of their type, 0.8f, and so does Hadoop. */
export const fractionOf = (text: string): number => decimalOf(text.trim().replace(/^([-+]?[\d.]+)[fd]$/i, '$1'))

/** A number from a property. Throws `BAD_INPUT` with the line. */
export function numberOf({ name, value, file, line }: Setting, { least = -Infinity, most = Infinity, whole = false } = {}): number {
  const number = whole ? Number(value) : fractionOf(value)
  if (value.trim() === '' || !Number.isFinite(number) || number < least || number > most || (whole && !Number.isInteger(number)))
    throw new SchedError(
      'BAD_INPUT',
      `found "${value}", expected ${whole ? 'a whole number' : 'a number'}${least === -Infinity ? '' : most === Infinity ? ` of at least ${least}` : ` from ${least} to ${most}`}.`,
      { file, line, field: name },
    )
  return number
}

/** True or false from a property; Hadoop takes the words in any case, and its default for anything else: here that is an error. */
export function booleanOf({ name, value, file, line }: Setting): boolean {
  const word = value.trim().toLowerCase()
  if (word !== 'true' && word !== 'false') throw new SchedError('BAD_INPUT', `found "${value}", expected true or false.`, { file, line, field: name })
  return word === 'true'
}
