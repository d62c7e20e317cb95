import { DDSketch } from '@sched/bundled/ddsketch'
import { studentt } from '@sched/bundled/jstat'
import { isMap, LineCounter, parseDocument } from '@sched/bundled/yaml'
import * as z from '@sched/bundled/zod'
import * as original from 'zod'
import { expect, test } from 'vitest'

test('schemas complain in English', () => {
  const { error } = z.strictObject({ delay: z.number().min(0) }).safeParse({ delay: -1, speed: 2 })
  expect(error?.issues.map(({ message }) => message)).toEqual(['Too small: expected number to be >=0', 'Unrecognized key: "speed"'])
})

test('schemas of plug-ins that import the library itself are understood', () => {
  const theirs = original.strictObject({ delay: original.number().default(5) })
  expect(theirs).toBeInstanceOf(z.ZodObject)
  expect(z.strictObject({ inner: theirs }).parse({ inner: {} })).toEqual({ inner: { delay: 5 } })
  expect(z.toJSONSchema(theirs)).toMatchObject({ properties: { delay: { type: 'number', default: 5 } } })
})

test('places in YAML are known', () => {
  const lines = new LineCounter()
  const { contents } = parseDocument('a: 1\nb:\n  - 2\n', { lineCounter: lines })
  expect(isMap(contents) && contents.items.map(({ value }) => lines.linePos((value as { range: number[] }).range[0] as number).line)).toEqual([1, 3])
})

test('quantiles are within the accuracy of the sketch', () => {
  const sketch = new DDSketch({ relativeAccuracy: 0.01 })
  for (let value = 1; value <= 1000; value++) sketch.accept(value)
  expect(Math.abs(sketch.getValueAtQuantile(0.95) - 950)).toBeLessThan(9.5)
})

test("Student's t of tables", () => {
  expect(studentt.inv(0.975, 10)).toBeCloseTo(2.228, 3)
  expect(studentt.inv(0.95, 1)).toBeCloseTo(6.314, 3)
})
