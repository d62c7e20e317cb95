import { integer, NONE } from '../format.js'
import { oneLine } from '../one-line.js'
import { GRID, INK } from './palette.js'

/** Of a number: seconds, a fraction that is shown in percent, watts, kilowatt hours, or none. */
export type Unit = 's' | '%' | 'W' | 'kWh' | ''

/** What is measured along an axis. */
export interface Axis {
  readonly title: string
  readonly unit: Unit
  /** Logarithmic; what is below `from` stands at `from`, which is 1 unless given. Default false. */
  readonly log?: boolean | undefined
  /** Where it begins and ends, in the unit; default: as far as the values go. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Only these values have a tick. */
  readonly ticks?: readonly number[] | undefined
}

/** How values come to stand along an axis. */
export interface Scale {
  /** With the unit in which the numbers are written. */
  readonly title: string
  /** What ECharts is given for a value. */
  readonly at: (value: number) => number
  /** Options of a value axis of ECharts. */
  readonly options: Record<string, unknown>
}

const times = [['d', 86_400], ['h', 3600], ['min', 60], ['s', 1]] as const
/** Times that people know, for logarithmic axes; between them none is labelled. */
const knownTimes = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36_000, 86_400, 864_000, 8_640_000, 86_400_000, 864_000_000]

/** The scale of an axis for values as these. */
export function scaleOf(given: Axis, values: readonly number[]): Scale {
  const axis = { ...given, title: oneLine(given.title) }
  const finite = values.filter(Number.isFinite)
  const most = axis.to ?? finite.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
  return axis.log === true ? logScale(axis, most) : linearScale(axis, most)
}

/** The unit in which a number is written, and how much it is: of times, one of which there are at least three. */
export function unitFor(unit: Unit, value: number): readonly [name: string, size: number] {
  if (unit === 's') return times.find(([, size]) => value >= 3 * size) ?? ['s', 1]
  return unit === '%' ? ['%', 0.01] : [unit, 1]
}

function linearScale({ title, unit, from, to, ticks }: Axis, most: number): Scale {
  const [name, size] = unitFor(unit, most)
  const at = (value: number) => value / size
  const marks = ticks?.map(at) ?? (from !== undefined && to !== undefined ? niceTicks(at(from), at(to)) : undefined)
  return {
    title: name === '' ? title : `${title}, ${name}`,
    at,
    options: {
      type: 'value',
      ...(from !== undefined && { min: at(from) }),
      ...(to !== undefined && { max: at(to) }),
      axisLabel: { color: INK, formatter: tick, hideOverlap: true, ...(marks !== undefined && { customValues: marks }) },
      ...(marks !== undefined && { axisTick: { customValues: marks } }),
    },
  }
}

/** Multiples of 1, 2 or 5 times a power of ten, some five of them, between ends that need be none. */
function niceTicks(from: number, to: number): number[] {
  const power = 10 ** Math.floor(Math.log10((to - from) / 5))
  const step = power * ([1, 2, 5].find((each) => each * power * 6 >= to - from) ?? 10)
  const first = Math.ceil(from / step - 1e-9)
  const count = Math.floor(to / step + 1e-9) - first + 1
  return Number.isFinite(count) && count > 0 ? Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12))) : [from, to]
}

function logScale({ title, unit, from = 1, ticks }: Axis, most: number): Scale {
  const at = (value: number) => Math.log10(Math.max(from, value))
  const marks = ticks ?? (unit === 's' ? knownTimes : Array.from({ length: 40 }, (_, i) => 10 ** (i - 20))).filter((value) => value >= from && value <= most)
  const texts = new Map(marks.map((value) => [at(value), unit === 's' ? timeText(value) : short(value)]))
  return {
    title,
    at,
    options: {
      type: 'value',
      min: at(from),
      max: Math.max(at(most), at(from) + 0.1),
      axisLabel: { color: INK, formatter: (value: number) => texts.get(value) ?? '', customValues: [...texts.keys()], hideOverlap: true },
      axisTick: { customValues: [...texts.keys()] },
    },
  }
}

/** What all axes look like. */
export const axisStyle = { nameTextStyle: { color: INK }, axisLine: { show: true, onZero: false, lineStyle: { color: INK } }, splitLine: { lineStyle: { color: GRID } } }

function timeText(value: number): string {
  const [name, size] = times.find(([, size]) => value >= size) ?? (['s', 1] as const)
  return `${short(value / size)} ${name}`
}

/** A round number on an axis, as exact as neighbours may need. */
const tick = (value: number): string => (Math.abs(value) >= 1000 && Math.abs(value) < 1e9 ? integer(value) : String(Number(value.toPrecision(6))))

/** A number in few characters: at most three significant digits, all digits before the point. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return NONE
  if (Math.abs(value) >= 1e9) return value.toExponential(1)
  if (Math.abs(value) >= 100) return integer(value)
  return String(Number(value.toPrecision(3)))
}
