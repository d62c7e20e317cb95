import { describeIssues, fieldOf, SchedError } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { featureCount } from './features.js'
import { shapeText } from './plan.js'

/** The version of the model files that this code reads and writes. */
const VERSION = 1
const FORMAT = 'sched-bayes-model'

const whole = z.int().min(1)
const finite = z.number()
const common = {
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  cluster: z.strictObject({ racks: whole, nodes: whole }).describe('racks, and nodes of the largest rack'),
  features: z.enum(['flat', 'rows']).describe('flat: every node; rows: every rack'),
  max: z.number().positive().describe('tasks that count as 1'),
  training: z
    .strictObject({
      samples: whole,
      active: whole.describe('of class C1'),
      threshold: finite.nullable().describe('activity from which a job is active; null: labels were given'),
      activity: z.enum(['common', 'own']).nullable().describe('whose largest pair volume activities are relative to'),
      largest: finite.nullable().describe('that volume, bytes, where it is common to all jobs'),
      varianceFloor: finite.describe('as a part of the largest variance of a feature'),
      source: z.string().describe('where the samples come from'),
    })
    .describe('training summary'),
}
const samples = { samples: whole, prior: z.number().positive().max(1) }
const gaussianClass = z.strictObject({ ...samples, mean: z.array(finite), variance: z.array(z.number().min(1e-300)) })
const bernoulliClass = z.strictObject({ ...samples, used: z.array(z.number().positive().lt(1)).describe('probability that the rack, or node, is used') })

/** The schema of a model as its file holds it. C1 are communication-active jobs, C0 lazy ones. */
export const bayesModelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('gaussian'), classes: z.strictObject({ C0: gaussianClass, C1: gaussianClass }) }),
  z.strictObject({ ...common, kind: z.literal('bernoulli'), classes: z.strictObject({ C0: bernoulliClass, C1: bernoulliClass }) }),
])
/** A trained model, as its file holds it. */
export type BayesModel = z.output<typeof bayesModelSchema>
/** The samples on which a model was trained, in numbers. */
export type TrainingSummary = BayesModel['training']

/** Format and version, with which every model begins. */
export const modelHead = { format: FORMAT, version: VERSION } as const

/**
 * Reads a model from the text of its file. `file`: the name of the file, for messages. Throws `BAD_INPUT` with the field for a text that is no model, for a
 * model of another version, and for one without exactly one number for each feature and class.
 */
export function parseModel(text: string, file?: string): BayesModel {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SchedError('BAD_INPUT', `is not JSON: ${(error as Error).message}.`, { file }, 'Write one with `sched bayes train`.')
  }
  return checkModel(value, file)
}

/** Checks that a value is a model and returns it. Throws like `parseModel`. */
export function checkModel(value: unknown, file?: string): BayesModel {
  const { format, version } = (typeof value === 'object' && value !== null ? value : {}) as { format?: unknown; version?: unknown }
  if (format !== FORMAT) throw new SchedError('BAD_INPUT', 'is no model of communication.', { file }, 'Write one with `sched bayes train`.')
  if (version !== VERSION)
    throw new SchedError(
      'BAD_INPUT',
      `is ${JSON.stringify(version) ?? 'missing'}, and this program reads version ${VERSION}.`,
      { file, field: 'version' },
      'Train the model again.',
    )
  const parsed = bayesModelSchema.safeParse(value)
  if (!parsed.success) {
    const { at, fact, wayOut } = describeIssues(bayesModelSchema, value, parsed.error.issues)
    throw new SchedError('BAD_INPUT', fact, { file, field: fieldOf(at) }, wayOut)
  }
  checkFeatures(parsed.data, file)
  return parsed.data
}

/** Throws `BAD_INPUT` if a class does not have one number for each feature. */
function checkFeatures(model: BayesModel, file: string | undefined): void {
  const expected = featureCount(model.cluster, model.features)
  for (const name of ['C0', 'C1'] as const)
    for (const [column, values] of Object.entries(model.classes[name]))
      if (Array.isArray(values) && values.length !== expected)
        throw new SchedError(
          'BAD_INPUT',
          `has ${values.length} numbers, and ${shapeText(model.cluster)} have ${expected} features.`,
          { file, field: `classes.${name}.${column}` },
          'Train the model again.',
        )
}

/** The text of a model's file; equal models give the same bytes. */
export const modelText = (model: BayesModel): string => `${JSON.stringify(model, undefined, 1).replace(/\[[^[\]{}]*\]/g, (list) => list.replace(/\s+/g, ' '))}\n`
