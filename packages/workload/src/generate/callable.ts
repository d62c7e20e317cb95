import { defineGenerator, type Defined, type GeneratedWorkload } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { checkedJobs } from './checked-jobs.js'

export type { GeneratedWorkload }

/** A generator: its name, where it is published, its options with defaults, and how it makes a workload. */
interface GeneratorDefinition<S extends z.ZodObject> {
  readonly name: string
  readonly summary: string
  readonly source?: string
  readonly options: S
  /** Makes a workload from checked options, with the seed of the run where they have none. */
  create(this: void, options: z.output<S> & { readonly seed: number }): GeneratedWorkload
}

/** A generator that is called with its options: `facebook({ seed: 3, kind: 'cpu' })`. Throws `BAD_OPTION`. */
export interface WorkloadGenerator<S extends z.ZodObject = z.ZodObject> {
  (options?: z.input<S>): GeneratedWorkload
  /** Name of the generator. */
  readonly generator: string
  /** One line for listings. */
  readonly summary: string
  /** Where it is published. */
  readonly source: string | undefined
  /** Options with their defaults. */
  readonly options: S
  /** As a registry keeps it. */
  readonly definition: Defined<'generator'>
  /** As the call, with unchecked options, for example from a file. */
  from(this: void, options: unknown): GeneratedWorkload
}

/** Makes a definition callable. Outside a run the seed is 1 unless it is given. */
export function callable<S extends z.ZodObject>({ create, ...definition }: GeneratorDefinition<S>): WorkloadGenerator<S> {
  const { name, summary, source, options } = definition
  const defined = defineGenerator<z.output<S>>({
    ...definition,
    create: (given, { seed }) => checkedJobs(name, create({ ...given, seed: (given as { readonly seed?: number }).seed ?? seed })),
  })
  const from = (given: unknown) => defined.plug({}, given ?? {}).create({ seed: 1 })
  return Object.assign((given?: z.input<S>) => from(given), { generator: name, summary, source, options, definition: defined, from })
}

/** Options that several generators share. */
export const seed = z.int().optional().describe('Seed of all random draws; the same seed gives the same jobs. Default: that of the run, outside one 1.')
export const spread = z.number().min(0).max(1).default(0.1)
  .describe('Durations vary uniformly by this fraction on both sides. 0.1 is our choice where the papers do not say.')
export const startup = z.number().min(0).default(0).describe('Set-up cost of a job before its first task can start, seconds.')
export const slowstart = z.number().min(0).max(1).default(0.05)
  .describe('Fraction of the maps that must have ended before reduces are scheduled (Hadoop: 0.05).')
/** A number above 0. */
export const positive = z.number().positive()
/** Seconds above 0. */
export const seconds = z.number().positive()
/** Number of jobs, of tasks of a job and the like; more would be a mistake, as in traces. */
export const count = z.int().min(1).max(10_000_000)
