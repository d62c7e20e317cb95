import { knownWords, portableExp, portableLog, portableLog2, SchedError } from '@sched/core'
import { power } from '../../orders/formula.js'

/** A part of an expression: its value for values of the names; `NaN` where Python raises an exception. */
type Part = (values: ArrayLike<number>) => number
type Call = (...args: number[]) => number

/** Functions with the fewest and the most values that they take. */
const functions = knownWords<readonly [Call, least: number, most: number]>({
  abs: [Math.abs, 1, 1], fabs: [Math.abs, 1, 1], min: [Math.min, 2, Infinity], max: [Math.max, 2, Infinity], sqrt: [Math.sqrt, 1, 1],
  ceil: [Math.ceil, 1, 1], floor: [Math.floor, 1, 1], trunc: [Math.trunc, 1, 1], int: [Math.trunc, 1, 1], float: [(x) => x, 1, 1], round: [toEven, 1, 1],
  exp: [(x) => finite(portableExp(x)), 1, 1], pow: [raised, 2, 2], fmod: [(x, y) => x % y, 2, 2],
  log: [(x, base) => (base === undefined ? logarithm(x) : divided(logarithm(x), logarithm(base))), 1, 2], log2: [(x) => (x > 0 ? portableLog2(x) : NaN), 1, 1], log10: [(x) => logarithm(x) / Math.LN10, 1, 1],
})

/** Operators of two values by how tightly they bind, the loosest first. */
const operators: readonly Readonly<Record<string, Call>>[] = [
  knownWords<Call>({ '+': (a, b) => a + b, '-': (a, b) => a - b }),
  knownWords<Call>({ '*': (a, b) => a * b, '/': divided, '//': (a, b) => Math.floor(divided(a, b)), '%': (a, b) => (b === 0 ? NaN : a - b * Math.floor(a / b)) }),
] as readonly Readonly<Record<string, Call>>[]
const comparisons = knownWords<(a: number, b: number) => boolean>({ '<': (a, b) => a < b, '>': (a, b) => a > b, '<=': (a, b) => a <= b, '>=': (a, b) => a >= b, '==': (a, b) => a === b, '!=': (a, b) => a !== b })
const reserved = ['if', 'else', 'and', 'or', 'not']

/**
 * A Python expression of numbers, as formulas of OpenPBS are: + - * / // % **, comparisons, `and`, `or`, `not`, `a if b else c`, parentheses, and the functions
 * abs, ceil, exp, fabs, float, floor, fmod, int, log, log10, log2, max, min, pow, round (of one value), sqrt and trunc. Its value is the same on every machine.
 *
 * Source: OpenPBS, `formula_evaluate` of job_info.cpp, which hands the text to Python with all that `math` has. Deviations: other functions are refused; numbers are
 * those of double precision throughout.
 */
export class PythonFormula {
  /** The names in it, in the order in which they are first mentioned. */
  readonly names: readonly string[]
  readonly #value: Part

  /** Throws `BAD_OPTION` for a text that is no such expression. */
  constructor(text: string, field: string) {
    const parser = new Parser(text, field)
    this.#value = parser.parse()
    this.names = parser.names
  }

  /** The value, for one value of each of `names`; 0 where Python raises an exception, such as for a division by 0. */
  value(values: ArrayLike<number>): number {
    const value = this.#value(values)
    return Number.isNaN(value) ? 0 : value
  }
}

const finite = (x: number): number => (Math.abs(x) === Infinity ? NaN : x)
const logarithm = (x: number): number => (x > 0 ? portableLog(x) : NaN)

function divided(a: number, b: number): number {
  return b === 0 ? NaN : a / b
}

function raised(base: number, exponent: number): number {
  return base === 0 && exponent === 0 ? 1 : base === 0 && exponent > 0 ? 0 : finite(power(base, exponent))
}

/** To the nearest whole number, of two to the even one. */
function toEven(x: number): number {
  const low = Math.floor(x)
  return x - low === 0.5 ? low + (low % 2 === 0 ? 0 : 1) : Math.round(x)
}

/** Parses by recursive descent, from what binds loosest to what binds tightest. */
class Parser {
  readonly names: string[] = []
  readonly #text: string
  readonly #field: string
  readonly #words: readonly string[]
  #at = 0

  constructor(text: string, field: string) {
    this.#text = text
    this.#field = field
    this.#words = text.match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[a-z_]\w*|\*\*|\/\/|[<>=!]=|\S/gi) ?? []
  }

  parse(): Part {
    const whole = this.#choice()
    if (this.#at < this.#words.length) this.#fail()
    return whole
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

  #choice(): Part {
    const value = this.#either()
    if (this.#take('if') === undefined) return value
    const condition = this.#either()
    this.#expect('else')
    const other = this.#choice()
    return (values) => {
      const holds = condition(values)
      return Number.isNaN(holds) ? NaN : holds === 0 ? other(values) : value(values)
    }
  }

  #either(): Part {
    let left = this.#both()
    while (this.#take('or') !== undefined) {
      const [first, second] = [left, this.#both()]
      left = (values) => {
        const value = first(values)
        return value === 0 ? second(values) : value
      }
    }
    return left
  }

  #both(): Part {
    let left = this.#negation()
    while (this.#take('and') !== undefined) {
      const [first, second] = [left, this.#negation()]
      left = (values) => {
        const value = first(values)
        return value === 0 || Number.isNaN(value) ? value : second(values)
      }
    }
    return left
  }

  #negation(): Part {
    if (this.#take('not') === undefined) return this.#comparison()
    const of = this.#negation()
    return (values) => {
      const value = of(values)
      return Number.isNaN(value) ? NaN : Number(value === 0)
    }
  }

  /** `a < b < c` is `a < b and b < c`. */
  #comparison(): Part {
    const first = this.#infix(0)
    const links: (readonly [(a: number, b: number) => boolean, Part])[] = []
    for (let sign = this.#take(...Object.keys(comparisons)); sign !== undefined; sign = this.#take(...Object.keys(comparisons))) links.push([comparisons[sign] as (a: number, b: number) => boolean, this.#infix(0)])
    if (links.length === 0) return first
    return (values) => {
      let left = first(values)
      for (const [holds, of] of links) {
        const right = of(values)
        if (Number.isNaN(left) || Number.isNaN(right)) return NaN
        if (!holds(left, right)) return 0
        left = right
      }
      return 1
    }
  }

  #infix(tightness: number): Part {
    const table = operators[tightness]
    if (table === undefined) return this.#signed()
    let left = this.#infix(tightness + 1)
    for (let sign = this.#take(...Object.keys(table)); sign !== undefined; sign = this.#take(...Object.keys(table))) {
      const [apply, first, second] = [table[sign] as Call, left, this.#infix(tightness + 1)]
      left = (values) => apply(first(values), second(values))
    }
    return left
  }

  #signed(): Part {
    const sign = this.#take('-', '+')
    if (sign === undefined) return this.#raised()
    const of = this.#signed()
    return sign === '+' ? of : (values) => -of(values)
  }

  #raised(): Part {
    const base = this.#atom()
    if (this.#take('**') === undefined) return base
    const exponent = this.#signed()
    return (values) => raised(base(values), exponent(values))
  }

  #atom(): Part {
    const word = this.#words[this.#at]
    if (word === undefined) return this.#fail()
    if (/^[\d.]/.test(word)) return this.#number(Number(word))
    if (/^[a-z_]/i.test(word) && !reserved.includes(word)) {
      this.#at++
      return this.#words[this.#at] === '(' ? this.#call(word) : this.#name(word)
    }
    this.#expect('(')
    const inside = this.#choice()
    this.#expect(')')
    return inside
  }

  #number(value: number): Part {
    if (Number.isNaN(value)) this.#fail()
    this.#at++
    return () => value
  }

  #name(word: string): Part {
    if (word === 'True' || word === 'False') return () => Number(word === 'True')
    const known = this.names.indexOf(word)
    const index = known >= 0 ? known : this.names.push(word) - 1
    return (values) => values[index] as number
  }

  #call(word: string): Part {
    const found = functions[word]
    if (found === undefined) {
      this.#at--
      this.#fail()
    }
    const [apply, least, most] = found
    this.#expect('(')
    const args = [this.#choice()]
    while (this.#take(',') !== undefined) args.push(this.#choice())
    if (args.length < least || args.length > most) this.#fail()
    this.#expect(')')
    return (values) => apply(...args.map((arg) => arg(values)))
  }

  #fail(): never {
    const word = this.#words[this.#at]
    const fact = word === undefined ? 'it ends too soon' : `"${word}" is unexpected there`
    throw new SchedError('BAD_OPTION', `"${this.#text}" is no formula: ${fact}.`, { field: this.#field }, `Write names, numbers, + - * / // % ** ( ), comparisons, and ${Object.keys(functions).join(', ')}.`)
  }
}
