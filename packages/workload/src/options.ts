import { SchedError } from '@sched/core'
import type { z } from 'zod'
import { describeIssue } from './issue.js'

/** Options with their defaults filled in. Throws `BAD_OPTION` with the option's path, what was found and the nearest known name. */
export function readOptions<S extends z.ZodType>(name: string, schema: S, value: unknown): z.output<S> {
  const given = value ?? {}
  const read = schema.safeParse(given)
  if (read.success) return read.data
  const { field, fact, wayOut } = describeIssue(schema, given, read.error)
  throw new SchedError('BAD_OPTION', fact, { field: field === '' ? name : `${name}.${field}` }, wayOut)
}
