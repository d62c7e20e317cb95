import { portableExp, portableLog, portableLog2, SchedError } from '@sched/core'

/** The quantities that a formula may name, in the order of the arguments of `Formula.value`. */
const quantities = ['submit', 'wait', 'estimate', 'size'] as const
type Quantity = (typeof quantities)[number]

const functions = ['min', 'max', 'log', 'log2', 'log10', 'sqrt'] as const
const operators = ['+', '-', '*', '/', '^', ...functions, 'negated'] as const
type Operator = (typeof operators)[number]

/** The operators before this one take two values, those from it on take one. */
const BINARY = operators.indexOf('log')

/**
 * The code of an operator, below 0. A step of a program pushes a quantity (codes from 0) or a constant (codes from `quantities.length`) on the
 * stack, or replaces the values on top of it by an operator's result.
 */
const codeOf = (operator: Operator): number => -1 - operators.indexOf(operator)

/**
 * An arithmetic expression such as `(wait / estimate)^3 * size`: numbers, quantities, + - * / ^ (powers), parentheses and the functions log (natural),
 * log2, log10, sqrt, min and max (of two). Its value is the same on every machine.
 *
 * Throws a `SchedError` where the text is no such expression.
 */
export class Formula {
  readonly #steps: Int32Array
  readonly #constants: Float64Array
  readonly #stack: Float64Array
  readonly #uses: ReadonlySet<Quantity>

  constructor(text: string) {
    const { steps, constants, uses } = new Parser(text).parse()
    this.#steps = Int32Array.from(steps)
    this.#constants = Float64Array.from(constants)
    this.#stack = new Float64Array(steps.length)
    this.#uses = uses
  }

  uses(quantity: Quantity): boolean {
    return this.#uses.has(quantity)
  }

  /** The value for these quantities; NaN where it is undefined, such as the logarithm of a number below 0. */
  value(submit: number, wait: number, estimate: number, size: number): number {
    const stack = this.#stack
    let top = -1
    for (let i = 0; i < this.#steps.length; i++) {
      const step = this.#steps[i] as number
      if (step === 0) stack[++top] = submit
      else if (step === 1) stack[++top] = wait
      else if (step === 2) stack[++top] = estimate
      else if (step === 3) stack[++top] = size
      else if (step > 0) stack[++top] = this.#constants[step - quantities.length] as number
      else {
        const operator = -1 - step
        if (operator < BINARY) top--
        stack[top] = applied(operators[operator] as Operator, stack[top] as number, stack[top + 1] as number)
      }
    }
    return stack[0] as number
  }
}

/** The result of an operator; one that takes one value ignores `b`. */
function applied(operator: Operator, a: number, b: number): number {
  switch (operator) {
    case '+': return a + b
    case '-': return a - b
    case '*': return a * b
    case '/': return a / b
    case '^': return power(a, b)
    case 'negated': return -a
    case 'log': return portableLog(a)
    case 'log2': return portableLog2(a)
    case 'log10': return portableLog(a) / Math.LN10
    case 'sqrt': return Math.sqrt(a)
    case 'min': return Math.min(a, b)
    case 'max': return Math.max(a, b)
  }
}

const LARGEST_WHOLE_POWER = 64

/** `base` to the power of `exponent`. A small whole exponent is done by multiplications, which also works for a base below 0. */
export function power(base: number, exponent: number): number {
  if (!Number.isInteger(exponent) || Math.abs(exponent) > LARGEST_WHOLE_POWER) return portableExp(exponent * portableLog(base))
  let product = 1
  for (let i = 0; i < Math.abs(exponent); i++) product *= base
  return exponent < 0 ? 1 / product : product
}

/** Parses by recursive descent: sums of products of signed powers. The steps of an operator's values come before its own. */
class Parser {
  readonly #text: string
  readonly #words: readonly string[]
  #at = 0
  readonly steps: number[] = []
  readonly constants: number[] = []
  readonly uses = new Set<Quantity>()

  constructor(text: string) {
    this.#text = text
    this.#words = text.match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[a-z]\w*|\S/gi) ?? []
  }

  parse(): this {
    this.#sum()
    if (this.#at < this.#words.length) this.#fail()
    return this
  }

  #take(...words: readonly string[]): string | undefined {
    const word = this.#words[this.#at]
    if (word === undefined || !words.includes(word)) return undefined
    this.#at++
    return word
  }

  #expect(word: string): void {
    if (this.#take(word) === undefined) this.#fail()
  }

  #sum(): void {
    this.#product()
    for (let sign = this.#take('+', '-'); sign !== undefined; sign = this.#take('+', '-')) {
      this.#product()
      this.steps.push(codeOf(sign as Operator))
    }
  }

  #product(): void {
    this.#signed()
    for (let sign = this.#take('*', '/'); sign !== undefined; sign = this.#take('*', '/')) {
      this.#signed()
      this.steps.push(codeOf(sign as Operator))
    }
  }

  #signed(): void {
    if (this.#take('-') === undefined) return this.#power()
    this.#signed()
    this.steps.push(codeOf('negated'))
  }

  #power(): void {
    this.#value()
    if (this.#take('^') === undefined) return
    this.#signed()
    this.steps.push(codeOf('^'))
  }

  #value(): void {
    const word = this.#words[this.#at]
    if (word === undefined) return this.#fail()
    if (/^[\d.]/.test(word)) this.#constant(Number(word))
    else if ((quantities as readonly string[]).includes(word)) this.#quantity(word as Quantity)
    else if ((functions as readonly string[]).includes(word)) this.#call(word as Operator)
    else {
      this.#expect('(')
      this.#sum()
      this.#expect(')')
    }
  }

  #constant(value: number): void {
    if (Number.isNaN(value)) this.#fail()
    this.#at++
    this.steps.push(quantities.length + this.constants.length)
    this.constants.push(value)
  }

  #quantity(quantity: Quantity): void {
    this.#at++
    this.uses.add(quantity)
    this.steps.push(quantities.indexOf(quantity))
  }

  #call(operator: Operator): void {
    this.#at++
    this.#expect('(')
    this.#sum()
    if (operators.indexOf(operator) < BINARY) {
      this.#expect(',')
      this.#sum()
    }
    this.#expect(')')
    this.steps.push(codeOf(operator))
  }

  #fail(): never {
    const word = this.#words[this.#at]
    const fact = word === undefined ? 'it ends too soon' : `"${word}" is unexpected there`
    throw new SchedError('BAD_OPTION', `"${this.#text}" is no formula: ${fact}.`, { field: 'score.formula' }, `Write one of ${quantities.join(', ')}, numbers, + - * / ^ ( ) and ${functions.join(', ')}, or give a name.`)
  }
}
