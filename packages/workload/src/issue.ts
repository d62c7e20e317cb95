import { suggest } from '@sched/core'
import { z } from 'zod'

/** What is wrong with a value that a schema refused: where, the fact, and the way out where there is one. */
export interface Issue {
  /** For example `stages[0].tasks`; empty for the value itself. */
  readonly field: string
  readonly fact: string
  readonly wayOut: string
}

/** The first issue in words: what was found, what was expected, the nearest known key for an unknown one. */
export function describeIssue(schema: z.ZodType, value: unknown, error: z.ZodError): Issue {
  const issue = telling(error.issues)!
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    return {
      field: fieldOf([...issue.path, key]), fact: `unknown key "${key}".`, wayOut: suggest(key, keysAt(schema, issue.path)),
    }
  }
  const found = at(value, issue.path)
  const fact = found === undefined ? 'is missing' : `found ${show(found)}`
  return { field: fieldOf(issue.path), fact: `${fact}, expected ${expectation(issue)}.`, wayOut: '' }
}

/** A value as one short line of a message. */
export function show(value: unknown): string {
  const text = typeof value === 'number' || value === undefined ? String(value) : JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}

type Issues = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** The issue that says most: a mistyped key rather than the key that is missing for it. */
function telling(issues: readonly Issues[]): Issues | undefined {
  const found = issues.map(deepest)
  return found.find((issue) => issue.code === 'unrecognized_keys') ?? found[0]
}

/** In a union, the issue of the branch that went furthest: `duration.mean` says more than "no branch of duration fits". */
function deepest(issue: Issues): Issues {
  if (issue.code !== 'invalid_union') return issue
  const branches = issue.errors.map(telling)
  const best = branches.find((inside) => inside !== undefined && (inside.path.length > 0 || inside.code === 'unrecognized_keys'))
  return best === undefined ? issue : { ...best, path: [...issue.path, ...best.path] }
}

function expectation(issue: Issues): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
    case 'too_small':
      return sized(issue.origin, `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`)
    case 'too_big':
      return sized(issue.origin, `at most ${issue.maximum}`)
    case 'invalid_value':
      return issue.values.map((value) => show(value)).join(' or ')
    default:
      return issue.message.replace(/^Invalid input: expected /, '')
  }
}

function sized(origin: string, limit: string): string {
  if (origin === 'array') return `${limit} elements`
  return origin === 'string' ? `${limit} characters` : limit
}

function fieldOf(path: Path): string {
  return path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text === '' ? '' : '.'}${String(key)}`), '')
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inside, key) => (inside as Record<PropertyKey, unknown> | undefined | null)?.[key], value)
}

/** Keys that the schema knows at a path. */
function keysAt(schema: z.ZodType, path: Path): string[] {
  const objects = [schema, ...path].reduce<z.ZodType[]>(
    (inside, key, step) => (step === 0 ? branches(schema) : inside.flatMap((one) => child(one, key as PropertyKey))), [])
  return [...new Set(objects.flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : [])))]
}

function child(schema: z.ZodType, key: PropertyKey): z.ZodType[] {
  if (schema instanceof z.ZodArray) return branches(schema.element as z.ZodType)
  const inside = schema instanceof z.ZodObject ? (schema.shape as Record<PropertyKey, z.ZodType>)[key] : undefined
  return inside === undefined ? [] : branches(inside)
}

/** The schema without optional, default and pipe wrappers; every branch of a union. */
function branches(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return branches(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => branches(option as z.ZodType))
  return [schema]
}
