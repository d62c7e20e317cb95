import { describe, expect, it } from 'vitest'
import { kubernetesObjects } from '../src/index.js'
import { JsonLines } from '../src/json-lines.js'

describe('lines of a JSON text', () => {
  const text = `
{ "a": "}],{ \\"a\\": \\\\",
  "\\u0062": [ 1, [ 2,
      3 ], { }, "x",
    { "c": { "d": null } } ],
  "e": -1.5e3, "a":
    true }`
  const lines = new JsonLines(text)

  it.each([
    [[], 2], [['a'], 7], [['b'], 3], [['b', 0], 3], [['b', 1], 3], [['b', 1, 1], 4], [['b', 3], 4], [['b', 4, 'c', 'd'], 5], [['e'], 6],
    [['b', 4, 'c', 'none', 'deeper'], 5], [['b', 9], 3], [['none'], 2],
  ])('are those of the value at %j, or around it: %i', (path, line) => {
    expect(lines.line(path)).toBe(line)
  })

  it('are where kubectl prints the fields of objects', () => {
    const list = { apiVersion: 'v1', items: [1, 2].map((i) => ({ kind: 'Node', metadata: { name: `n${i}` } })), kind: 'List' }
    const [, second] = [...kubernetesObjects(JSON.stringify(list, undefined, 4), 'nodes.json')]
    expect(second?.place('metadata', 'name')).toEqual({ file: 'nodes.json', line: 13, field: 'items[1].metadata.name' })
  })
})
