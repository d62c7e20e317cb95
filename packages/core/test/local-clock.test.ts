import { isTimeZone, LocalClock } from '@sched/core'
import { describe, expect, it } from 'vitest'

const at = (text: string) => Date.parse(`${text}Z`) / 1000
const text = (time: number) => new Date(time * 1000).toISOString().slice(0, 19)

describe('the clocks of a time zone', () => {
  it.each([
    ['Europe/Stockholm', '2002-07-28T07:04:05', '2002-07-28T09:04:05'], // HPC2N's StartTime: CEST
    ['US/Eastern', '1996-06-26T21:06:00', '1996-06-26T17:06:00'], // CTC's: EDT
    ['US/Pacific', '1993-10-01T07:00:03', '1993-10-01T00:00:03'], // NASA's: PDT
    ['Asia/Kolkata', '2024-01-01T00:00:00', '2024-01-01T05:30:00'],
    ['UTC', '2024-01-01T00:00:00', '2024-01-01T00:00:00'],
  ])('of %s show at %s %s', (zone, time, shown) => {
    const clock = new LocalClock(zone)
    expect([text(clock.shown(at(time))), text(clock.first(at(shown)))]).toEqual([shown, time])
    expect(clock.shown(at(time) + 0.25)).toBe(at(shown) + 0.25)
  })

  it('show the first of an hour twice, and what they skip when they go on', () => {
    const clock = new LocalClock('Europe/Berlin')
    expect(text(clock.first(at('2024-10-27T02:30:00')))).toBe('2024-10-27T00:30:00')
    expect(text(clock.first(at('2024-03-31T02:00:00')))).toBe('2024-03-31T01:00:00')
    expect(text(new LocalClock('America/Sao_Paulo').first(at('2017-10-15T00:00:00')))).toBe('2017-10-15T03:00:00') // no midnight: 23:59:59 is followed by 01:00:00
  })

  it.each(['Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'America/Havana', 'Asia/Kathmandu'])('of %s begin every day where it begins, 23 to 25 hours after the one before', { tags: 'long' }, (zone) => {
    const clock = new LocalClock(zone)
    const begins = Array.from({ length: 1500 }, (_, i) => clock.first((16_000 + i) * 86_400))
    const lengths = begins.slice(1).map((time, i) => time - (begins[i] as number))
    expect(lengths.filter((length) => length < 82_800 || length > 90_000)).toEqual([])
    expect(begins.filter((time, i) => clock.shown(time) < (16_000 + i) * 86_400 || clock.shown(time - 1) >= (16_000 + i) * 86_400)).toEqual([])
  })

  it('are of zones that there are', () => {
    expect(['Europe/Berlin', 'US/Pacific', 'Nowhere/City', '', '+05:00', 'unknown'].map(isTimeZone)).toEqual([true, true, false, false, false, false])
    expect(() => new LocalClock('Nowhere/City')).toThrow('there is no time zone "Nowhere/City". Write for example Europe/Stockholm.')
  })
})
