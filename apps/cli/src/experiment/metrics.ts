import { resolve, SchedError, type Metric, type MetricEnv, type MetricFigure, type Plug, type Registry } from '@sched/core'
import { policyName } from './policies.js'

/** A metric of an experiment, by the name that begins the names of its figures. */
export interface NamedMetric {
  readonly name: string
  readonly plug: Plug<'metric'>
}

/** A figure of a metric, by a name that no other figure has. */
export type Measured = Required<MetricFigure>

/** Resolves metrics as a file lists them. Throws with their paths. */
export function namedMetrics(registry: Registry, configs: readonly unknown[]): NamedMetric[] {
  const metrics = configs.map((config, i) => ({ name: policyName(config), plug: resolve(registry, 'metric', config, `metrics.more[${i}]`) }))
  const twice = metrics.findIndex(({ name }, i) => metrics.findIndex((each) => each.name === name) < i)
  if (twice !== -1)
    throw new SchedError('TAKEN_NAME', `the metric "${metrics[twice]?.name ?? ''}" is there twice.`, { field: `metrics.more[${twice}]` }, 'Name each once.')
  return metrics
}

/** The metrics of one run, which observe it and then say what they have measured. */
export class RunMetrics {
  readonly observers: readonly Metric[]
  readonly #names: readonly string[]

  constructor(metrics: readonly NamedMetric[], env: MetricEnv) {
    this.observers = metrics.map(({ plug }) => plug.create(env))
    this.#names = metrics.map(({ name }) => name)
  }

  /** All figures, after the run. Throws `BROKEN_CONTRACT` for what is none. */
  result(): Measured[] {
    return this.observers.flatMap((metric, i) => figuresOf(this.#names[i] ?? '', metric.figures()))
  }
}

const units = ['s', '%', 'W', 'kWh', '']

function figuresOf(metric: string, figures: readonly MetricFigure[]): Measured[] {
  const bad = (fact: string) => new SchedError('BROKEN_CONTRACT', `what figures() of the metric "${metric}" returns ${fact}.`, {}, "It is a list: [{ name: 'longest', title: 'longest queue', unit: 's', value: 3 }].")
  if (!Array.isArray(figures)) throw bad('is no list')
  const names = new Set<string>()
  return figures.map((figure) => {
    const { name, title = `${metric} ${String(name)}`, unit = '', value } = (figure ?? {}) as MetricFigure
    if (typeof name !== 'string' || name === '') throw bad('has a figure without a name')
    if (typeof value !== 'number') throw bad(`has no number as the value of "${name}"`)
    if (!units.includes(unit)) throw bad(`has "${name}" in ${JSON.stringify(unit)}, not in s, %, W, kWh or no unit`)
    if (names.has(name)) throw bad(`has "${name}" twice`)
    names.add(name)
    return { name: `${metric}.${name}`, title: String(title), unit, value }
  })
}
