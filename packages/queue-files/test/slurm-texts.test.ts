import { inWholeMinutes, slurmSeconds } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareNames, hostNames } from '../src/slurm/hosts.js'

/** A number, as it may be written: with zeros in front. */
const written = (max: number) => fc.tuple(fc.nat({ max }), fc.constantFrom('', '0', '00')).map(([number, zeros]) => ({ number, text: `${zeros}${number}` }))

/** A time in one of the six forms of Slurm, with its seconds by addition. */
const times = fc.tuple(written(40), written(30), written(90), written(90), fc.constantFrom('m', 'm:s', 'h:m:s', 'd-h', 'd-h:m', 'd-h:m:s')).map(([d, h, m, s, form]) => {
  const parts = { d: { ...d, seconds: 86_400 }, h: { ...h, seconds: 3600 }, m: { ...m, seconds: 60 }, s: { ...s, seconds: 1 } }
  const named = [...form].filter((each): each is keyof typeof parts => each in parts)
  return { text: form.replace(/[dhms]/g, (each) => parts[each as keyof typeof parts].text), seconds: named.reduce((sum, each) => sum + parts[each].number * parts[each].seconds, 0) }
})

describe('times of Slurm', () => {
  it('are read in all forms', () => {
    fc.assert(fc.property(times, ({ text, seconds }) => void expect([text, slurmSeconds(text)]).toEqual([text, seconds])), { seed: 1, numRuns: 3000 })
  })

  it('count as one minute more where seconds are left of what is kept in minutes', () => {
    fc.assert(
      fc.property(times, ({ text, seconds }) => {
        let minutes = 0
        while (minutes * 60 < seconds) minutes++
        expect([text, inWholeMinutes(text)]).toEqual([text, minutes * 60])
      }),
      { seed: 2, numRuns: 300 },
    )
  })

  it('are no other texts', () => {
    const close = fc.array(fc.constantFrom('1', '20', '-', ':', ' ', 'x', '.'), { maxLength: 9 }).map((parts) => parts.join('').trim())
    fc.assert(
      fc.property(close, (text) => {
        const [days, rest] = text.includes('-') ? text.split(/-(.*)/s) : [undefined, text]
        const isNumber = (part: string | undefined) => part !== undefined && part !== '' && [...part].every((each) => each >= '0' && each <= '9')
        const parts = (rest).split(':')
        const isTime = (days === undefined || isNumber(days)) && parts.length <= 3 && parts.every(isNumber)
        expect([text, slurmSeconds(text) !== undefined]).toEqual([text, isTime])
      }),
      { seed: 3, numRuns: 3000, examples: [['1-2'], ['1-'], ['1:2:3:4'], ['-1']] },
    )
  })
})

/** A word of a name of hosts. */
const words = fc.constantFrom('n', 'node', 'rack1-', 'a.b', 'x01y')
/** The inside of brackets with the numbers it stands for. */
const numbers = fc.array(fc.tuple(fc.nat({ max: 120 }), fc.nat({ max: 12 }), fc.nat({ max: 4 })), { minLength: 1, maxLength: 3 }).map((ranges) => {
  const padded = (number: number, width: number) => `${'0'.repeat(Math.max(0, width - String(number).length))}${number}`
  const text = ranges.map(([first, more, width]) => (more === 0 ? padded(first, width) : `${padded(first, width)}-${padded(first + more, width)}`)).join(',')
  const all: string[] = []
  // all are as long as the first one of a range has it, with its zeros
  for (const [first, more, width] of ranges) for (let number = first; number <= first + more; number++) all.push(padded(number, Math.max(width, String(first).length)))
  return { text: `[${text}]`, all }
})
const hosts = fc.array(fc.oneof(words.map((text) => ({ text, all: [text] })), numbers), { minLength: 1, maxLength: 4 }).map((parts) => ({
  text: parts.map(({ text }) => text).join(''),
  all: parts.reduce<string[]>((known, { all }) => known.flatMap((before) => all.map((each) => `${before}${each}`)), ['']),
}))

describe('lists of hosts', () => {
  it('stand for all of their names in order', () => {
    fc.assert(
      fc.property(fc.array(hosts, { minLength: 1, maxLength: 3 }), fc.constantFrom(',', ' ', ', '), (parts, between) => {
        fc.pre(parts.reduce((sum, { all }) => sum + all.length, 0) < 5000)
        const value = parts.map(({ text }) => text).join(between)
        expect(hostNames({ name: 'Nodes', value, file: 'slurm.conf', line: 1 })).toEqual(parts.flatMap(({ all }) => all))
      }),
      { seed: 4, numRuns: 500 },
    )
  })

  it('may have numbers beyond those that are exact otherwise', () => {
    const named = (value: string) => hostNames({ name: 'Nodes', value, file: 'slurm.conf', line: 1 })
    expect(named('n[90071992547409921-90071992547409923]')).toEqual(['n90071992547409921', 'n90071992547409922', 'n90071992547409923'])
    expect(named('n[018446744073709551615-018446744073709551616]')).toEqual(['n018446744073709551615', 'n018446744073709551616'])
    expect(() => named('n[90071992547409923-90071992547409922]')).toThrow('found the range')
    expect([compareNames('n90071992547409921', 'n90071992547409922'), compareNames('n90071992547409922', 'n90071992547409921'), compareNames('n9', 'n90071992547409921')].map(Math.sign)).toEqual([-1, 1, -1])
  })
})
