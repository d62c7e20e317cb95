import { describeIssues, fieldOf, SchedError, suggest } from '@sched/core'
import { fieldPath, pathParts, valueAt, withValue } from './field-path.js'
import { policyName } from './policies.js'
import type { Base } from './read-experiment.js'
import { experimentSchema, type ExperimentSpec } from './schema.js'

type Matrix = NonNullable<ExperimentSpec['matrix']>

/** What is varied: a path with values, or a name with settings by label. */
export interface Axis {
  readonly name: string
  readonly steps: readonly Step[]
}

interface Step {
  /** As reports show it: the value of a path as it is, a label otherwise. */
  readonly value: unknown
  /** Values by path. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** One combination of all axes. */
export interface Point {
  /** The values by axis, in the order of the axes. */
  readonly at: Readonly<Record<string, unknown>>
  readonly spec: ExperimentSpec
}

/** What has a place of its own in an experiment, or cannot differ from point to point. */
const fixed: Readonly<Record<string, string>> = {
  seed: 'Every point runs on all seeds: say how many with `seeds`.',
  seeds: 'Every point runs on all seeds: say how many with `seeds`.',
  policies: 'Every point runs all policies: list them under `policies`.',
  policy: 'Every point runs all policies: list them under `policies`, and vary their options as `policies[0]....`.',
  plugins: 'Plug-ins are the same for all points.',
  matrix: 'A matrix has no matrix.',
  name: 'Points are told apart by their values.',
}

/** The axes of a matrix in the order of the file. Throws `BAD_INPUT` with the path of the axis. */
export function axesOf(matrix: Matrix): Axis[] {
  return Object.entries(matrix).map(([name, given]) => {
    if (Array.isArray(given)) return { name, steps: distinct(name, given).map((value) => ({ value, settings: checkedPaths(name, { [name]: value }) })) }
    const steps = Object.entries(given).map(([label, settings]) => ({ value: label, settings: checkedPaths(`${name}.${label}`, settings) }))
    if (steps.length === 0) throw new SchedError('BAD_INPUT', 'has no settings.', { field: `matrix.${name}` }, 'Write `label: { path: value }`.')
    return { name, steps }
  })
}

function distinct(name: string, values: readonly unknown[]): readonly unknown[] {
  const texts = values.map((value) => JSON.stringify(value))
  const twice = texts.find((text, index) => texts.indexOf(text) !== index)
  if (twice !== undefined) throw new SchedError('BAD_INPUT', `has ${twice} twice.`, { field: `matrix.${name}` }, 'Give every value once; `seeds` repeats runs.')
  return values
}

function checkedPaths(axis: string, settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const known = Object.keys(experimentSchema.shape).filter((key) => fixed[key] === undefined)
  for (const path of Object.keys(settings)) {
    const keys = fieldPath(path)
    const key = String(keys[0])
    const why = key === 'policies' && keys.length > 1 ? undefined : fixed[key]
    if (why !== undefined) throw new SchedError('BAD_INPUT', `"${path}" cannot be varied.`, { field: `matrix.${axis}` }, why)
    if (!known.includes(key) && key !== 'policies')
      throw new SchedError('BAD_INPUT', `no part of an experiment is called "${key}".`, { field: `matrix.${axis}` }, suggest(key, known))
  }
  return settings
}

/** All combinations of the axes, the last axis fastest. Throws `BAD_INPUT` with the point for one that is no experiment. */
export function pointsOf(spec: ExperimentSpec, axes: readonly Axis[]): Point[] {
  const { matrix: _, ...base } = spec
  let combinations: { at: Record<string, unknown>; settings: Record<string, unknown> }[] = [{ at: {}, settings: {} }]
  for (const { name, steps } of axes)
    combinations = combinations.flatMap(({ at, settings }) => steps.map((step) => ({ at: { ...at, [name]: step.value }, settings: { ...settings, ...step.settings } })))
  return combinations.map(({ at, settings }) => ({ at, spec: namingPoint(at, () => applied(base, settings)) }))
}

function applied(base: ExperimentSpec, settings: Readonly<Record<string, unknown>>): ExperimentSpec {
  const input = Object.entries(settings).reduce<unknown>((spec, [path, value]) => withValue(spec, path, value), base)
  const read = experimentSchema.safeParse(input)
  if (read.success) return read.data
  const { at, fact, wayOut } = describeIssues(experimentSchema, input, read.error.issues)
  throw new SchedError('BAD_INPUT', fact, { field: fieldOf(at) }, wayOut)
}

/** Throws `BAD_OPTION` where the command line has said something that the matrix varies: it would be of no effect. */
export function refuseVaried(axes: readonly Axis[], before: Base['spec'], after: ExperimentSpec): void {
  for (const path of new Set(axes.flatMap(({ steps }) => steps.flatMap(({ settings }) => Object.keys(settings))))) {
    const [was, is] = [valueAt(before, path), valueAt(after, path)]
    if (is !== undefined && JSON.stringify(is) !== JSON.stringify(was))
      throw new SchedError('BAD_OPTION', `an option says ${policyName(is)}, and the matrix varies it.`, { field: path }, 'Leave the option out, or the axis.')
  }
}

/** What errors and progress call a point: `cluster.nodes = 100, decision.job = 10`. */
export const pointText = (at: Point['at']): string => Object.entries(at).map(([axis, value]) => `${axis} = ${policyName(value)}`).join(', ')

/** An error that names the point at which it came up. */
export function atPoint<E>(at: Point['at'], error: E): E | SchedError {
  if (!(error instanceof SchedError)) return error
  const { code, fact, place, wayOut } = error
  return new SchedError(code, `at ${pointText(at)}: ${new SchedError(code, fact, place).message}`, {}, wayOut)
}

function namingPoint<T>(at: Point['at'], run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw atPoint(at, error)
  }
}

/** Axes by the ends of their paths, as short as tells them apart: `decision.job` and `decision.task`. */
export function shortNames(names: readonly string[]): string[] {
  const parts = names.map(pathParts)
  const end = (at: number, length: number) => (parts[at] ?? []).slice(-length).join('.')
  return names.map((_, at) => {
    let length = 1
    while (length < (parts[at]?.length ?? 0) && names.some((__, other) => other !== at && end(other, length) === end(at, length))) length++
    return end(at, length)
  })
}
