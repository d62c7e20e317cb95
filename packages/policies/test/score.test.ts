import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ljf, lxf, score, sjf, strict } from '@sched/policies'
import { Formula } from '../src/orders/formula.js'
import { simulated } from './backfilling/machine.js'
import type { RigidJob } from './backfilling/reference/machine.js'

type Quantities = [submit: number, wait: number, estimate: number, size: number]

/** An expression, and what it is of the quantities. */
interface Expression {
  readonly text: string
  readonly of: (...q: Quantities) => number
}
const binary: readonly (readonly [string, (a: number, b: number) => number])[] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
]
const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.constantFrom<Expression>(
    { text: 'submit', of: (submit) => submit },
    { text: 'wait', of: (_, wait) => wait },
    { text: 'estimate', of: (_, __, estimate) => estimate },
    { text: 'size', of: (_, __, ___, size) => size },
  ),
  fc.constantFrom('0', '2', '1.5', '.25', '870', '1e-3', '2.56e4').map((text) => ({ text, of: () => Number(text) })),
)
const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.tuple(tie('expression'), fc.constantFrom(...binary), tie('expression')).map(([a, [sign, apply], b]) => ({ text: `(${a.text} ${sign} ${b.text})`, of: (...q: Quantities) => apply(a.of(...q), b.of(...q)) })),
    fc.tuple(tie('expression'), fc.integer({ min: 0, max: 4 })).map(([a, n]) => ({ text: `(${a.text})^${n}`, of: (...q: Quantities) => Array.from({ length: n }, () => a.of(...q)).reduce((x, y) => x * y, 1) })),
    fc.tuple(fc.constantFrom('min' as const, 'max' as const), tie('expression'), tie('expression')).map(([f, a, b]) => ({ text: `${f}(${a.text}, ${b.text})`, of: (...q: Quantities) => Math[f](a.of(...q), b.of(...q)) })),
    tie('expression').map((a) => ({ text: `-sqrt(${a.text})`, of: (...q: Quantities) => -Math.sqrt(a.of(...q)) })),
  ),
}))

describe('a formula', () => {
  it('is worth what the same operations of numbers are', () => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(expression, amount, amount, amount, amount, ({ text, of }, ...quantities) => {
        expect(new Formula(text).value(...quantities)).toBe(of(...quantities))
      }),
      { seed: 5, numRuns: 500 },
    )
  })

  it.each([
    ['1 - 2 - 3 * 4 / 6', -3],
    ['-2^2 + 2^-1', -3.5],
    ['2^3^0', 2],
    ['log2(8) + log10(1000) * 2 - log(1)', 9],
    ['size*estimate', 12],
  ])('%s is %d', (text, value) => {
    expect(new Formula(text).value(1, 2, 3, 4)).toBeCloseTo(value, 12)
  })

  it.each([
    ['wait /', /ends too soon/],
    ['wait 2', /"2" is unexpected/],
    ['priority', /"priority" is unexpected/],
    ['min(wait)', /"\)" is unexpected/],
    ['1.2.3', /"\.3" is unexpected/],
    ['', /ends too soon/],
    ['constructor', /"constructor" is unexpected/],
  ])('is not %j, which is told', (text, message) => {
    expect(() => simulated([], [1], strict(score({ formula: text })))).toThrow(message)
  })
})

/** A job of 100 s, then all others wait for the whole machine of 8; the order in which they start. */
const job = (size: number, estimate: number, submit = 0): RigidJob => ({ submit, runtime: 1, estimate, size: [size] })
const served = (jobs: readonly RigidJob[], order: Parameters<typeof strict>[0]) => {
  const starts = simulated([{ submit: 0, runtime: 100, estimate: 100, size: [8] }, ...jobs.map(({ size, ...rest }) => ({ ...rest, size: [size[0] as number, 1] }))], [8, 1], strict(order)).slice(1)
  return jobs.map((_, i) => i).sort((a, b) => (starts[a] as number) - (starts[b] as number))
}

describe('score', () => {
  // at 100 s: waits 99, 90, 50; estimates 100, 20, 10; areas 400, 160, 10
  const jobs = [job(4, 100, 1), job(8, 20, 10), job(1, 10, 50)]

  it.each([
    ['wfp3', [1, 2, 0]], // (99/100)^3 x 4 = 3.9, (90/20)^3 x 8 = 729, (50/10)^3 = 125
    ['unicef', [2, 1, 0]], // 99 / (2 x 100) = 0.5, 90 / (3 x 20) = 1.5, one processor first
    ['f1', [0, 1, 2]], // 2 x 4 + 870 x 0 = 8, 1.3 x 8 + 870 = 880, 1 + 870 x 1.7 = 1479
    ['f2', [0, 1, 2]],
    ['f3', [0, 1, 2]],
    ['f4', [0, 1, 2]],
    ['saf', [2, 1, 0]],
    ['laf', [0, 1, 2]],
    ['sqf', [2, 0, 1]],
    ['lqf', [1, 0, 2]],
    ['lcfs', [2, 1, 0]],
    ['wait / estimate', [2, 1, 0]],
  ])('%s', (formula, order) => {
    expect(served(jobs, score({ formula }))).toEqual(order)
  })

  it.each([
    ['-estimate', sjf()],
    ['estimate', ljf()],
    ['1 + wait / estimate', lxf()],
  ])('%s is an order with a name', (formula, order) => {
    const many = Array.from({ length: 12 }, (_, i) => job(1 + (i % 5), 5 + ((i * 7) % 11), i * 4))
    expect(served(many, score({ formula }))).toEqual(served(many, order))
  })

  it('takes equal ones by submission, and those without a number last', () => {
    expect(served(jobs, score({ formula: '0' }))).toEqual([0, 1, 2])
    expect(served(jobs, score({ formula: 'log(estimate - 50)' }))).toEqual([0, 1, 2])
    expect(served(jobs, score({ formula: 'sqrt(estimate - 15) - estimate' }))).toEqual([1, 0, 2])
  })
})
