import type { JobSpec } from './job.js'

/** Whether a job waits for others before it is submitted. */
export const isFollower = ({ after, afterAll, afterAny }: JobSpec): boolean => after !== undefined || afterAll !== undefined || afterAny !== undefined

/** The jobs that a job waits for, each with the field that names it. */
export function* followed({ after, afterAll, afterAny }: JobSpec): Generator<readonly [field: string, id: string]> {
  if (after !== undefined) yield ['after', after]
  for (const [field, events] of Object.entries({ afterAll, afterAny })) for (const [i, { job }] of events?.entries() ?? []) yield [`${field}[${i}].job`, job]
}
