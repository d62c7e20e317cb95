import { nearest, suggest } from './error.js'
import { fieldOf } from './field-of.js'
import { keysAt, meaningAt, placesOf, wordsAt, wordsKnowing } from './schema-keys.js'

/** An issue that a schema reports, as in the Standard Schema interface. Fields of zod's own are used where present. */
export interface SchemaIssue {
  /** The schema's message. */
  readonly message: string
  /** Path within the value; absent or empty: the value itself. */
  readonly path?: readonly PathPart[] | undefined
  /** The way out, given by a schema's own check: `.refine(isRight, { error: 'what is expected', params: { wayOut: 'What to do.' } })`. */
  readonly params?: { readonly wayOut?: string } | undefined
}
type PathPart = PropertyKey | { readonly key: PropertyKey }
type Path = readonly PropertyKey[]

/** An issue in words for people: where in the value, the fact, and the way out if there is one. */
export interface Complaint {
  /** Path within the value; empty: the value itself. */
  readonly at: Path
  /** What is wrong. */
  readonly fact: string
  /** What to do about it; empty where there is no advice. */
  readonly wayOut: string
}

/** Describes the most telling issue: what was found, what was expected, and for an unknown key the nearest known one. */
export function describeIssues(schema: unknown, value: unknown, issues: readonly SchemaIssue[]): Complaint {
  const issue = telling(issues)
  if (issue === undefined) return { at: [], fact: 'invalid.', wayOut: '' }
  const at = pathOf(issue)
  if (issue.code === undefined) return { at, fact: sentence(issue.message), wayOut: issue.params?.wayOut ?? '' } // not from zod: there is only its message
  const found = at.reduce<unknown>((inside, part) => (inside as Record<PropertyKey, unknown> | undefined | null)?.[part], value)
  const [key] = issue.keys ?? []
  if (issue.code === 'unrecognized_keys' && key !== undefined)
    return { at: [...at, key], fact: `unknown key "${key}".`, wayOut: knownKeys(key, schema, at, issue.message, found) }
  const words = wordsAt(schema, at)
  const isOtherWord = issue.code === 'invalid_union' ? (issue.errors ?? []).length === 0 : issue.code === 'invalid_value' && words.length > 0 // of those that tell the branches apart
  const expected = isOtherWord ? words.map(show).join(' or ') : expectation(issue)
  return {
    at,
    fact: sentence(found === undefined ? `is missing, expected ${expected}` : `found ${show(found)}, expected ${expected}`),
    wayOut: issue.params?.wayOut ?? (isOtherWord ? meantWord(found, words) : isOfBound(issue) || isNumberWithUnit(found, expected) ? whatItIs(schema, at) : howToWrite(issue, found, keysAt(schema, at))),
  }
}

/** The fields of zod's issues that are read here; this package depends on no library. */
interface Issue extends SchemaIssue {
  readonly code?: string
  readonly expected?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly inclusive?: boolean
  readonly origin?: string
  readonly divisor?: number
  readonly values?: readonly unknown[]
  readonly keys?: readonly string[]
  readonly errors?: readonly (readonly Issue[])[]
}

const pathOf = ({ path = [] }: SchemaIssue): Path => path.map((part) => (typeof part === 'object' ? part.key : part))
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

/**
 * Advice for an unknown key, ending in the known keys. It names the places where the key exists, preceded by a key here that is its singular or
 * plural, or the words with which it is known here. Otherwise it gives the schema's own message (zod's `error`), or the nearest known key.
 */
function knownKeys(key: string, schema: unknown, at: Path, message: string, found: unknown): string {
  const known = keysAt(schema, at, found)
  if (known.length === 0) return ''
  const listed = `Known: ${known.join(', ')}.`
  const places = placesOf(schema, at, key)
  const called = (place: Path) => `"${fieldOf(place)}"${place.length > at.length ? '' : ' further out'}`
  const beside = known.filter((each) => each === `${key}s` || key === `${each}s`).map((each) => `"${each}"`)
  if (places.length > 0) return `Did you mean ${[...beside, ...places.map(called)].join(' or ')}? ${listed}`
  const words = wordsKnowing(schema, at, key)
  if (words.length > 0) return `It is a key of ${words.join(' or ')}. ${listed}`
  return message.startsWith('Unrecognized key') ? suggest(key, known) : `${sentence(message)} ${listed}`
}

/** Whether a number is expected and one with a unit of its own was found, such as 7d, 1:30 or 5GB. */
const isNumberWithUnit = (found: unknown, expected: string) => typeof found === 'string' && /\ba (whole )?number\b/.test(expected) && /^\d[\d.,]*\s?(?!e\d)[a-z:%-]/i.test(found)

const isOfBound = ({ code }: Issue) => code === 'too_small' || code === 'too_big' || code === 'not_multiple_of'

/** What a value that is too small, too large or in another unit stands for, by which one knows the right one, and what counts without it. */
function whatItIs(schema: unknown, at: Path): string {
  const { key = '', description = '', byDefault } = meaningAt(schema, at) ?? {}
  if (description === '') return ''
  const [clause = ''] = description.split(/; |: /)
  const told = (description.length <= MOST_TOLD ? description : clause).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
  return sentence(`"${key}" stands for ${told}`) + (byDefault === undefined || /\bdefault\b/.test(told) ? '' : ` Leave it out for ${show(byDefault)}.`)
}

/** Longer descriptions are for lists of options: of these the first clause counts. */
const MOST_TOLD = 160

/** The word that was meant where none of the words is what was found; empty if none is near. */
function meantWord(found: unknown, words: readonly unknown[]): string {
  const close = typeof found === 'string' ? nearest(found, words.filter((word) => typeof word === 'string')) : undefined
  return close === undefined ? '' : `Did you mean ${show(close)}?`
}

/** How to write a word, a number, a text, a list or a mapping, where something else was written instead. */
function howToWrite({ code, expected, values }: Issue, found: unknown, known: readonly string[]): string {
  if (code === 'invalid_value') return meantWord(found, values ?? [])
  if (code === 'invalid_type' && (expected === 'number' || expected === 'int') && typeof found === 'string' && isNumber(found)) return `Write it without quotes: ${found.trim()}.`
  if (code === 'invalid_type' && expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) return `Write it in quotes: "${found}".`
  if (code === 'invalid_type' && expected === 'boolean' && typeof found === 'string' && /^(yes|no|on|off|true|false)$/i.test(found))
    return `Write ${/^(yes|on|true)$/i.test(found) ? 'true' : 'false'}, without quotes.`
  if (code !== 'invalid_type' || found === undefined || found === null) return ''
  if (expected === 'array' && typeof found === 'string') return `Write it as a list: [${found}].`
  return expected === 'object' && known.length > 0 && !Array.isArray(found) ? `Its keys are ${known.join(', ')}.` : ''
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))

function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}

/** The most telling issue: a mistyped key rather than the missing key that it was meant for. */
function telling(issues: readonly Issue[]): Issue | undefined {
  const found = issues.map(deepest)
  return found.find(({ code }) => code === 'unrecognized_keys') ?? found[0]
}

/** For a union, the issue of the branch that was meant: `duration.mean` says more than "no branch of duration fits". */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const branches = branchesOf(issue).flatMap((branch) => {
    const first = telling(branch)
    return first === undefined ? [] : [{ first, strangeness: strangeness(branch) }]
  })
  const [meant] = branches.sort((a, b) => a.strangeness - b.strangeness)
  if (meant === undefined || meant.strangeness === 3) return issue
  return { ...meant.first, path: [...(issue.path ?? []), ...(meant.first.path ?? [])] }
}

/** The branches of a union, with those of a union that is a branch of it in its place: which was meant is asked of all alike. */
const branchesOf = ({ errors = [] }: Issue): readonly (readonly Issue[])[] => errors.flatMap((branch) => (isUnion(branch) ? branchesOf(branch[0]) : [branch]))

const isUnion = (branch: readonly Issue[]): branch is readonly [Issue] =>
  branch.length === 1 && branch[0]?.code === 'invalid_union' && (branch[0].path ?? []).length === 0 && (branch[0].errors ?? []).length > 0

/**
 * How far a union's branch is from the value. 3: the value is of another type. 2: it has keys that the branch lacks, and lacks a required one. 1: it
 * has a wrong word, such as another `kind`. 0: the right branch, with a mistake inside.
 */
function strangeness(branch: readonly Issue[]): 0 | 1 | 2 | 3 {
  const has = (wanted: string, depth: number) => branch.some(({ code, path = [] }) => code === wanted && path.length === depth)
  if (branch.some(({ code, path = [] }) => path.length === 0 && code !== 'unrecognized_keys')) return 3
  if (has('unrecognized_keys', 0) && has('invalid_type', 1)) return 2
  return branch.some(({ code }) => code === 'invalid_value') ? 1 : 0
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeName(issue.expected ?? 'another type')
    case 'too_small':
      return sized(issue.origin, `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`)
    case 'too_big':
      return sized(issue.origin, `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`)
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_value':
      return (issue.values ?? []).map(show).join(' or ')
    case 'invalid_union':
      return [...new Set(branchesOf(issue).flatMap((branch) => (branch[0] === undefined ? [] : [expectation(branch[0])])))].join(' or ')
    default:
      return issue.message.replace(/^Invalid input: expected /, '')
  }
}

function typeName(type: string): string {
  const words: Readonly<Record<string, string>> = { int: 'a whole number', object: 'a mapping', record: 'a mapping', array: 'a list', boolean: 'true or false', string: 'text' }
  return words[type] ?? `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function sized(origin: string | undefined, limit: string): string {
  const things = origin === 'array' ? 'element' : origin === 'string' ? 'character' : undefined
  return things === undefined ? limit : `${limit} ${things}${/\b1$/.test(limit) ? '' : 's'}`
}
