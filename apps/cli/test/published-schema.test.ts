import { Ajv2020 } from 'ajv/dist/2020.js'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { sched } from './sched.js'

const root = join(import.meta.dirname, '../../..')
const files = (folder: string, end: string) => readdirSync(join(root, folder), { encoding: 'utf8' }).filter((name) => name.endsWith(end)).map((name) => join(folder, name))
const yamlOf = (name: string) => parseDocument(readFileSync(join(root, name), 'utf8')).toJS() as unknown
const isMapping = (part: unknown): part is Readonly<Record<string, unknown>> => typeof part === 'object' && part !== null && !Array.isArray(part)

interface Schema {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
}

const published = async (of: string) => JSON.parse((await sched(['schema', of])).out) as Schema

/** What a validator of its own, as editors have one, finds in a file or a part of one; it throws for a schema with references to nothing. */
function found({ required: _, ...schema }: Schema): (file: unknown) => readonly string[] {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false }).compile(schema)
  return (file) => (validate(file) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`))
}

describe('the JSON Schema of an experiment', async () => {
  const schema = await published('experiment')
  const check = found(schema) // takes seconds

  it('takes all examples', () => {
    const experiments = files('examples', '.yaml').map((name) => [name, yamlOf(name)] as const).filter(([, file]) => isMapping(file) && 'workload' in file)
    expect(experiments.length).toBeGreaterThan(10)
    expect(experiments.flatMap(([name, file]) => check(file).map((error) => `${name}: ${error}`))).toEqual([])
    expect(experiments.filter(([, file]) => schema.required?.some((key) => !(key in (file as object))))).toEqual([])
  })

  it('takes what stands on the pages', () => {
    const parts = files('docs', '.md').flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text = '']) => [page, parseDocument(text).toJS() as unknown] as const))
    const ofExperiments = parts.filter(([, part]) => isMapping(part) && Object.keys(part).every((key) => key in schema.properties))
    expect(ofExperiments.length).toBeGreaterThan(10)
    expect(ofExperiments.flatMap(([page, part]) => check(part).map((error) => `${page}: ${JSON.stringify(part).slice(0, 80)} ${error}`))).toEqual([])
  })

  it('looks into what is within itself, such as pools in pools', () => {
    const policy = (weight: unknown) => ({ policy: { fair: { pools: { a: { pools: { b: { pools: { c: { weight } } } } } } } } })
    expect(check(policy(2))).toEqual([])
    expect(check(policy('two'))).toContain('/policy/fair/pools/a/pools/b/pools/c/weight must be number')
  })
})

describe('the JSON Schemas of other files', () => {
  it('take the clusters among the examples', async () => {
    const check = found(await published('cluster'))
    const clusters = files('examples', '.cluster.yaml')
    expect(clusters.length).toBeGreaterThan(1)
    for (const name of clusters) expect(check(yamlOf(name)), name).toEqual([])
  })

  it.each(['machines', 'workload'])('have no reference to nothing in that of kind %s', async (of) => {
    const schema = await published(of)
    expect(() => found(schema)).not.toThrow()
  })
})
