import { portableExp, portableLog, portableLog2, SchedError } from '@sched/core'

/** What a formula reckons with, in the order of the arguments of `Formula.value`. */
const quantities = ['submit', 'wait', 'estimate', 'size'] as const
type Quantity = (typeof quantities)[number]

const functions = ['min', 'max', 'log', 'log2', 'log10', 'sqrt'] as const
const operators = ['+', '-', '*', '/', '^', ...functions, 'negated'] as const
type Operator = (typeof operators)[number]

/** The first operators, up to `max`, have two values, the others one. */
const BINARY = operators.indexOf('log')

/** A step puts a quantity or a constant on the stack, or an operator in the place of its values: codes from 0, from `quantities.length`, and below 0. */
const codeOf = (operator: Operator): number => -1 - operators.indexOf(operator)

/**
 * An expression of numbers, quantities, + - * / ^ (powers), parentheses and the functions log (natural), log2, log10, sqrt, min and max (of two), as
 * `(wait / estimate)^3 * size`. Equal on every machine.
 *
 * Throws a `SchedError` where the text is none.
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

  /** NaN where there is no such number, as the logarithm of one below 0. */
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

/** `b` is of no meaning to operators of one value. */
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

/** By multiplications if the exponent is a small whole number, also of what is below 0. */
function power(base: number, exponent: number): number {
  if (!Number.isInteger(exponent) || Math.abs(exponent) > LARGEST_WHOLE_POWER) return portableExp(exponent * portableLog(base))
  let product = 1
  for (let i = 0; i < Math.abs(exponent); i++) product *= base
  return exponent < 0 ? 1 / product : product
}

/** By descent: sums of products of signed powers. Steps come after those of their values. */
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
