import { SchedError } from '@sched/core'
import { included, type SourceText } from '../source-text.js'
import { readXml, type XmlElement } from '../xml.js'
import type { Setting } from '../setting.js'

/**
 * The properties of a `<configuration>` by name, with variables filled in. Of equal names the last counts, unless an earlier one is final. Throws `BAD_INPUT`
 * with the line.
 */
export function readProperties(source: SourceText, root = readXml(source.text, source.file)): Map<string, Setting> {
  const found = new Map<string, Setting>()
  take(source, root, found, new Set(), [])
  return expanded(found)
}

/** The properties of several files, read as if they were one. */
export function readAllProperties(sources: readonly SourceText[]): Map<string, Setting> {
  const found = new Map<string, Setting>()
  const final = new Set<string>()
  for (const source of sources) take(source, readXml(source.text, source.file), found, final, [])
  return expanded(found)
}

/**
 * Adds the properties of a file to `found`, and to `final` the names of those that are final. In place of an `xi:include` it adds those of the included file,
 * or of the fallback if there is no such file. `around`: names of the files that include this one.
 */
function take(source: SourceText, root: XmlElement, found: Map<string, Setting>, final: Set<string>, around: readonly string[]): void {
  const { file } = source
  if (root.name !== 'configuration') throw new SchedError('BAD_INPUT', `begins with <${root.name}>, expected <configuration>.`, { file, line: root.line }, 'Is it the right file? Properties of Hadoop stand in <configuration>.')
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

/** Fills in `${other.property}` from the same properties, as Hadoop does, at most 20 times in one value. */
function expanded(properties: Map<string, Setting>): Map<string, Setting> {
  for (const [name, property] of properties) {
    let value = property.value
    for (let depth = 0; value.includes('${'); depth++) {
      const variable = /\$\{([^}$]+)\}/.exec(value)
      const known = variable === null ? undefined : properties.get(variable[1] ?? '')
      if (variable === null || known === undefined || depth === 20) break // Hadoop leaves an unknown variable, and all after it, as it is
      value = value.replace(variable[0], () => known.value)
    }
    if (value !== property.value) properties.set(name, { ...property, value })
  }
  return properties
}

/** The number that a text writes in decimal digits, perhaps with an exponent; NaN for any other text, such as 0x10 or an empty one. */
export const decimalOf = (text: string): number => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN)

/** The same, where the text may end with Java's suffix of a type, as in 0.8f. */
export const fractionOf = (text: string): number => decimalOf(text.trim().replace(/^([-+]?[\d.]+)[fd]$/i, '$1'))

/** The way out for the value of a property that may be absent. */
const OR_REMOVE = 'Correct it, or remove the property for the default.'

/** The number that a property gives, from `least` to `most`. Throws `BAD_INPUT` with the line for any other value. */
export function numberOf({ name, value, file, line }: Setting, { least = -Infinity, most = Infinity, whole = false } = {}): number {
  const number = whole ? Number(value) : fractionOf(value)
  if (value.trim() === '' || !Number.isFinite(number) || number < least || number > most || (whole && !Number.isInteger(number)))
    throw new SchedError(
      'BAD_INPUT',
      `found "${value}", expected ${whole ? 'a whole number' : 'a number'}${least === -Infinity ? '' : most === Infinity ? ` of at least ${least}` : ` from ${least} to ${most}`}.`,
      { file, line, field: name },
      OR_REMOVE,
    )
  return number
}

/** Whether a property is true, in any case. Throws `BAD_INPUT` with the line for a value that is neither true nor false; Hadoop takes its default for that. */
export function booleanOf({ name, value, file, line }: Setting): boolean {
  const word = value.trim().toLowerCase()
  if (word !== 'true' && word !== 'false') throw new SchedError('BAD_INPUT', `found "${value}", expected true or false.`, { file, line, field: name }, OR_REMOVE)
  return word === 'true'
}
