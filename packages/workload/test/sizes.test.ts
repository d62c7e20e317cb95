import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Ad } from '../src/condor/ads.js'
import { quantityIn } from '../src/job-table/values.js'
import { reservedMemory } from '../src/lsf/record.js'
import { memoryOf } from '../src/pbs/resources.js'
import { numberOf } from '../src/sge/numbers.js'
import { requestedMemory } from '../src/slurm/amounts.js'
import { memoryOf as executorMemory } from '../src/spark/resources.js'

// Amounts of memory as each system writes them, read by whole numbers: thousandths of a byte, which are exact.

const [MILLI, MIB] = [1000n, 2n ** 20n]
const binary = (letters: string, first = 1): Readonly<Record<string, bigint>> => Object.fromEntries([...letters].map((letter, i) => [letter, 1024n ** BigInt(i + first)]))
/** MiB, rounded up. */
const inMib = (milli: bigint): number => Number((milli + MIB * MILLI - 1n) / (MIB * MILLI))

/** Digits, with a fraction of up to three digits in some; and their thousandths. */
const whole = fc.nat({ max: 999_999 }).map((number) => ({ text: String(number), milli: BigInt(number) * MILLI }))
const decimal = fc.oneof(whole, fc.tuple(fc.nat({ max: 9999 }), fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 3 })).map(([number, fraction, length]) => {
  const digits = String(fraction).padStart(3, '0').slice(0, length)
  return { text: `${number}.${digits}`, milli: BigInt(number) * MILLI + BigInt(digits.padEnd(3, '0')) }
}))
const unitOf = (units: Readonly<Record<string, bigint>>) => fc.constantFrom(...Object.entries(units))
/** Texts close to amounts, most of which are none. */
const close = fc.array(fc.constantFrom('1', '20', '.', 'k', 'K', 'M', 'g', 'b', 'B', 'w', 'i', ' ', '-', 'e', '0', 'x', ':'), { maxLength: 6 }).map((parts) => parts.join(''))
const runs = { seed: 7, numRuns: 2000 }

describe('amounts of memory', () => {
  it('of PBS are bytes, or words of 8 bytes, in powers of 1024 whatever the case', () => {
    fc.assert(fc.property(whole, unitOf({ '': 1n, ...binary('kmgtp'), ...binary('KMGTP') }), fc.constantFrom('', 'b', 'B', 'w', 'W'), ({ text, milli }, [unit, factor], of) => {
      expect([text, unit, of, memoryOf(`${text}${unit}${of}`)]).toEqual([text, unit, of, inMib(milli * factor * (/w/i.test(of) ? 8n : 1n))])
    }), runs)
    fc.assert(fc.property(close, (text) => void expect([text, memoryOf(text) !== undefined]).toEqual([text, /^[0-9]+([.][0-9]+)?[kmgtp]?[bw]?$/i.test(text)])), runs)
  })

  it('of Slurm are MiB, of the job, of each node (n) or of each processor (c)', () => {
    fc.assert(fc.property(decimal, unitOf({ '': MIB, ...binary('KMGTPE') }), fc.constantFrom('', 'n', 'c'), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), ({ text, milli }, [unit, factor], per, nodes, procs) => {
      fc.pre(milli > 0n)
      const times = per === 'n' ? nodes : per === 'c' ? procs : 1
      const expected = (milli * factor * BigInt(times)) / MILLI / MIB < 2n ** 31n ? inMib(milli * factor * BigInt(times)) : undefined
      if (expected !== undefined) expect([text, unit, per, requestedMemory(`${text}${unit}${per}`, nodes, procs)]).toEqual([text, unit, per, expected])
    }), runs)
  })

  it('of LSF are MiB unless they have a unit, whatever its case, of each host or of the job', () => {
    fc.assert(fc.property(decimal, unitOf({ '': MIB, ...binary('KMGTPEZ'), ...binary('kmgtpez') }), fc.constantFrom('', 'B'), fc.constantFrom('', '/host', '/job', '/task'), ({ text, milli }, [unit, factor], b, per) => {
      const times = per === '/job' ? 1n : per === '/task' ? 6n : 2n
      fc.pre(milli * factor * times < MILLI * MIB * 2n ** 43n)
      expect([text, unit, reservedMemory(`select[mem>1] rusage[mem=${text}${unit}${b}${per}:duration=1]`, 2, 6)]).toEqual([text, unit, inMib(milli * factor * times)])
    }), runs)
  })

  it('of Spark are MiB unless they have a unit, cut to whole ones, with a tenth but at least 384 beside them', () => {
    fc.assert(fc.property(whole, unitOf({ '': MIB, b: 1n, ...binary('kmgt'), ...binary('KMGT') }), fc.constantFrom('', 'b', 'B'), ({ text, milli }, [unit, factor], b) => {
      const isByte = unit === '' || unit === 'b'
      const mib = Number((milli * factor) / MILLI / MIB)
      fc.pre(mib < 2 ** 40)
      expect([text, unit, executorMemory({ 'spark.executor.memory': `${text}${unit}${isByte ? '' : b}` })]).toEqual([text, unit, mib + Math.max(384, Math.floor(mib * 0.1))])
    }), runs)
  })

  it('of tables and pods are numbers with the units of Kubernetes, or bytes', () => {
    const units = { '': 1n, k: 10n ** 3n, M: 10n ** 6n, G: 10n ** 9n, T: 10n ** 12n, Ki: 1024n, Mi: 1024n ** 2n, Gi: 1024n ** 3n, Ti: 1024n ** 4n, KB: 10n ** 3n, kB: 10n ** 3n, ' MB': 10n ** 6n, ' GB': 10n ** 9n, GiB: 1024n ** 3n, ' TiB': 1024n ** 4n }
    fc.assert(fc.property(decimal, unitOf(units), ({ text, milli }, [unit, factor]) => {
      expect(Math.abs(quantityIn(`${text}${unit}`, 'mem') / (Number(milli * factor) / 1000 || 1) - (milli === 0n ? 0 : 1))).toBeLessThan(1e-12)
    }), runs)
    fc.assert(fc.property(fc.nat({ max: 10 ** 9 }), (milli) => void expect(quantityIn(`${milli}m`, 'cpu')).toBeCloseTo(milli / 1000, 9)), runs)
  })

  it('of HTCondor are MiB, rounded up', () => {
    fc.assert(fc.property(decimal, ({ text, milli }) => void expect(new Ad(new Map([['requestmemory', text]])).roundedUp('RequestMemory')).toBe(milli === 0n ? -1 : Number((milli + MILLI - 1n) / MILLI))), runs)
  })
})

describe('numbers of Grid Engine', () => {
  const units = { '': 1n, k: 1000n, m: 1000n ** 2n, g: 1000n ** 3n, ...binary('KMG') }

  it('are decimal with units in thousands or, large letters, in powers of 1024', () => {
    fc.assert(fc.property(decimal, unitOf(units), ({ text, milli }, [unit, factor]) => {
      expect(Math.abs((numberOf(`${text}${unit}`) as number) - Number(milli * factor) / 1000)).toBeLessThanOrEqual(Number(milli * factor) * 1e-18)
    }), runs)
  })

  it('are octal after a 0 and hexadecimal after 0x, without a fraction', () => {
    fc.assert(fc.property(fc.nat(), unitOf(units), (number, [unit, factor]) => {
      const expected = Number(BigInt(number) * factor)
      expect([numberOf(`0${number.toString(8)}${unit}`), numberOf(`0x${number.toString(16)}${unit}`), numberOf(`0X${number.toString(16).toUpperCase()}${unit}`)]).toEqual([expected, expected, expected])
    }), runs)
    expect(['08', '09.5', '0x', '00', '0', '0.5k', '.5K'].map(numberOf)).toEqual([undefined, 9.5, undefined, 0, 0, 500, 512])
  })

  it('are seconds of hours, minutes and seconds, any of which may be left out', () => {
    const part = fc.option(decimal, { nil: { text: '', milli: 0n } })
    fc.assert(fc.property(part, part, part, (h, m, s) => void expect(numberOf(`${h.text}:${m.text}:${s.text}`)).toBeCloseTo(Number(h.milli * 3600n + m.milli * 60n + s.milli) / 1000, 3)), runs)
    expect(['1:0:0', '24:00:00', '::30', '1:30', '1:2:3:4', '1:2:x', '1:2:3k', 'infinity', 'INFINITY', '', '-5', '1e3', '5 ', 'k'].map(numberOf))
      .toEqual([3600, 86_400, 30, undefined, undefined, undefined, undefined, Infinity, Infinity, undefined, undefined, 1000, undefined, undefined])
  })
})
