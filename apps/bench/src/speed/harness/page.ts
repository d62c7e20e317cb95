import { markdownTable, type Column } from '@sched/report'
import { verdict } from './figures.js'
import type { Benchmark, Figure, Goal } from './benchmark.js'

/** A benchmark with its figures, or why it has none. */
export interface Result {
  readonly name: string
  readonly summary: string
  readonly figures: readonly Figure[]
  readonly missing?: string
}

export const result = ({ name, summary }: Benchmark, figures: readonly Figure[], missing?: string): Result =>
  missing === undefined ? { name, summary, figures } : { name, summary, figures, missing }

/** Where and how the figures came about. */
export interface Circumstances {
  readonly machine: string
  readonly runs: number
  readonly loads: readonly number[]
}

/** The page `docs/benchmarks.md`. */
export function page(results: readonly Result[], circumstances: Circumstances): string {
  return [
    '# Speed and memory',
    '',
    'Written by `pnpm bench speed --write`; do not edit.',
    '',
    `Machine: ${circumstances.machine}.`,
    shared(circumstances.loads),
    '',
    ...method(circumstances.runs),
    '',
    ...results.flatMap(section),
  ].join('\n')
}

const columns: readonly Column[] = [
  { title: 'id', align: 'left' },
  { title: 'value', align: 'right' },
  { title: 'unit', align: 'left' },
  ...['cold', 'warm', 'x naive'].map((title) => ({ title, align: 'right' }) as const),
  ...['goal', 'verdict', 'decisions'].map((title) => ({ title, align: 'left' }) as const),
]

/** The figures without text around them. */
export const table = (figures: readonly Figure[]): string => markdownTable(columns, figures.map(cells))

function section({ name, summary, figures, missing }: Result): string[] {
  return [`## ${name}`, '', summary, '', ...(missing === undefined ? [table(figures).trimEnd()] : [`Not measured: ${missing}.`]), '']
}

function cells(figure: Figure): string[] {
  const { id, value, unit, cold, warm, ratio, hash, goals } = figure
  const verdicts = goals.map((goal) => verdict(figure, goal)).join('; ')
  return [id, digits(value), unit, digits(cold), digits(warm), digits(ratio), goals.map(wording).join('; '), verdicts, hash ?? '']
}

function wording({ of, atLeast, atMost }: Goal): string {
  const bound = atLeast === undefined ? `<= ${digits(atMost ?? NaN)}` : `>= ${digits(atLeast)}`
  return of === 'value' ? bound : `${of === 'ratio' ? 'x naive' : of} ${bound}`
}

/** Three significant digits, thousands apart: `1,230,000`, `64.1`, `0.00123`. */
export function digits(value: number | null): string {
  if (value === null || Number.isNaN(value)) return ''
  const text = String(Number(value.toPrecision(3)))
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

function shared(loads: readonly number[]): string {
  const span = `${digits(Math.min(...loads))} to ${digits(Math.max(...loads))}`
  return `Load average while measuring (the measuring process is 1 of it): ${span}. Above 1 the machine also worked for others: trust the ratios more than the times.`
}

const method = (runs: number) => [
  'Times are CPU time, user and system, of all threads of one process. Every variant runs in fresh processes, whose input is made, and the garbage of',
  `that collected, before: *cold* is the first run of a process, *warm* the median of up to ${runs} later ones; medians over up to 3 processes. Variants of`,
  'one benchmark run in turn (A B A B). *x naive* is the ratio to the naive way of doing the same work, which is in the repository too. *decisions* is a',
  'digest of all decisions in order (task, node, time to the last bit); where variants must decide alike, a difference stops the benchmark. Standard metrics',
  'are on wherever a simulation runs, unless said otherwise.',
]
