import type { Figure, Goal, Measurement } from './benchmark.js'

interface FigureOptions {
  /** The naive baseline that does the same work. */
  readonly baseline?: Measurement | undefined
  /** Which of cold and warm is the headline. Default warm, or cold where nothing ran twice. */
  readonly headline?: 'cold' | 'warm'
  readonly goals?: readonly Goal[]
}

/** Units of work per CPU second. */
export const rate = (id: string, unit: string, measured: Measurement, options: FigureOptions = {}): Figure =>
  figure(id, unit, measured, (seconds) => measured.work / seconds, options)

/** CPU nanoseconds per unit of work. */
export const cost = (id: string, unit: string, measured: Measurement, options: FigureOptions = {}): Figure =>
  figure(id, unit, measured, (seconds) => (1e9 * seconds) / measured.work, options)

/** CPU seconds of a whole run. */
export const seconds = (id: string, measured: Measurement, options: FigureOptions = {}): Figure =>
  figure(id, 'CPU s', measured, (seconds) => seconds, options)

/** A single number: bytes, a percentage. */
export const single = (id: string, value: number, unit: string, goals: readonly Goal[] = []): Figure =>
  ({ id, value, unit, cold: null, warm: null, ratio: null, hash: null, goals })

function figure(id: string, unit: string, measured: Measurement, scale: (seconds: number) => number, options: FigureOptions): Figure {
  const { baseline, goals = [] } = options
  const cold = scale(measured.cold)
  const warm = Number.isNaN(measured.warm) ? null : scale(measured.warm)
  const value = options.headline === 'cold' ? cold : (warm ?? cold)
  return { id, value, unit, cold, warm, ratio: baseline === undefined ? null : timesBetter(measured, baseline), hash: measured.hash, goals }
}

/** CPU per unit of work, baseline over measured: warm against warm, against a baseline too slow to repeat its only run. */
function timesBetter(measured: Measurement, baseline: Measurement): number {
  const [own, other] = [measured, baseline].map(({ warm, cold, work }) => (Number.isNaN(warm) ? cold : warm) / work)
  return (other as number) / (own as number)
}

/** `met`, or by how much a goal is missed, in percent of the goal. */
export function verdict(figure: Figure, goal: Goal): string {
  const value = figure[goal.of]
  if (value === null) return 'not measured'
  const { atLeast = -Infinity, atMost = Infinity } = goal
  if (value >= atLeast && value <= atMost) return 'met'
  const miss = value < atLeast ? 1 - value / atLeast : value / atMost - 1
  return `missed by ${Math.ceil(100 * miss)} %`
}
