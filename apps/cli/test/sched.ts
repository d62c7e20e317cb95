import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { main } from '../src/cli.js'
import type { Sink } from '../src/io.js'

/** What a command line printed and its exit code. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface World {
  readonly cwd?: string
  /** Whether standard error is a terminal. */
  readonly tty?: boolean
  /** Standard output is a terminal of so many columns. */
  readonly columns?: number
  readonly signal?: AbortSignal
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a command line in this process. */
export async function sched(args: readonly string[], { cwd = directory(), tty = false, columns, signal = new AbortController().signal, env = {} }: World = {}): Promise<Outcome> {
  const [out, err] = [new Captured(columns !== undefined, columns), new Captured(tty)]
  const code = await main(args, { stdout: out, stderr: err, env, cwd, signal })
  return { code, out: out.text, err: err.text }
}

class Captured extends Writable implements Sink {
  text = ''

  readonly columns?: number

  constructor(readonly isTTY: boolean, columns?: number) {
    super()
    if (columns !== undefined) this.columns = columns
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

const made: string[] = []

/** Removes what `directory` has made. */
export const removeDirectories = (): void => made.splice(0).forEach((path) => rmSync(path, { recursive: true, force: true }))

/** A new directory with these files, removed after the tests of the file. */
export function directory(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'sched-cli-'))
  made.push(path)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  return path
}

/** Three small jobs that read data, in the native format. */
export const trace = `{"format":"sched-workload","version":1,"name":"three jobs","jobs":3}
{"id":"a","submit":0,"user":"ann","label":"large","stages":[{"name":"map","tasks":8,"demand":{"map":1},"duration":10,"data":{}}]}
{"id":"b","submit":1,"user":"bob","label":"small","stages":[{"name":"map","tasks":1,"demand":{"map":1},"duration":4,"data":{}}]}
{"id":"c","submit":2,"user":"ann","label":"small","stages":[{"name":"map","tasks":1,"demand":{"map":1},"duration":4,"data":{}}]}
`

/** An experiment on that trace that takes a few milliseconds. */
export const experiment = `name: small
seeds: 3
cluster: { nodes: 4, racks: 2, slots: { map: 1 }, heartbeat: { interval: 3 } }
workload: { trace: jobs.jsonl }
policies:
  - fifo
  - delay: { node: 5 }
`

/** A directory with both. */
export const small = (files: Readonly<Record<string, string>> = {}): string => directory({ 'jobs.jsonl': trace, 'small.yaml': experiment, ...files })
