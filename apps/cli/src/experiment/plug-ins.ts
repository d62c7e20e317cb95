import { define, SchedError, suggest, type Defined, type Definition, type Kind, type Preset, type Registry } from '@sched/core'
import { existsSync, readFileSync } from 'node:fs'
import * as modules from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { endingOrder } from './ending-orders.js'

const kinds: ReadonlySet<string> = new Set<Kind>(['order', 'policy', 'placement', 'architecture', 'metric', 'generator', 'format'])

/**
 * Adds what a module exports as default: what `definePolicy()` or one of its kind returns, the plain object that one would
 * give it (then with its `kind`, and without options unless it has a schema), a preset, or a list of these. Throws
 * `BAD_INPUT` or `TAKEN_NAME`.
 */
export async function addPlugIns(registry: Registry, specifier: string, directory: string): Promise<void> {
  const found = (await load(specifier, directory)).default
  for (const each of Array.isArray(found) ? (found as unknown[]) : [found])
    if (isDefined(each)) registry.add(checked(each))
    else if (isPlain(each)) registry.add(checked(define({ ...each, summary: each.summary ?? '' })))
    else if (isPreset(each)) registry.addPreset(each)
    else throw noPlugIn(specifier, each)
}

const checked = (definition: Defined<Kind>) => (definition.kind === 'order' ? endingOrder(definition as unknown as Defined<'order'>) : definition)

function noPlugIn(specifier: string, found: unknown): SchedError {
  const { kind, name } = (found ?? {}) as { readonly kind?: unknown; readonly name?: unknown }
  const [fact, wayOut] = typeof kind !== 'string'
    ? ['has no plug-in as its default export.', 'Export what definePolicy() or one of its kind returns.']
    : kinds.has(kind)
      ? [`exports a plug-in of kind "${kind}" without ${typeof name === 'string' ? 'a function `create`' : 'a `name`'}.`, 'A plain object has kind, name and create.']
      : [`exports a plug-in of kind "${kind}".`, suggest(kind, [...kinds])]
  return new SchedError('BAD_INPUT', `"${specifier}" ${fact}`, {}, wayOut)
}

async function load(specifier: string, directory: string): Promise<{ readonly default?: unknown }> {
  shareOwnPackages()
  try {
    return await loaded(locate(specifier, directory))
  } catch (error) {
    const reason = (error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)).replace(` imported from ${fileURLToPath(import.meta.url)}`, '')
    throw new SchedError('BAD_INPUT', `cannot load the plug-in "${specifier}": ${reason}.`.replace(/\.\.$/, '.'), {}, wayOut(specifier, reason))
  }
}

/** Loads a module. Rejects for one that awaits what never comes: when nothing else is left to do the program would end, without a word. */
function loaded(url: string): Promise<{ readonly default?: unknown }> {
  return new Promise((resolve, reject) => {
    const stuck = () => reject(new Error('it waits for something that never comes'))
    process.once('beforeExit', stuck)
    void (import(url) as Promise<{ readonly default?: unknown }>).then(resolve, reject).finally(() => process.off('beforeExit', stuck))
  })
}

/** What to do where the module is not read as what it is. */
function wayOut(specifier: string, reason: string): string {
  const isTyped = specifier.endsWith('.ts')
  if (/^Cannot find (module|package) '(@sched\/|zod)/.test(reason) && !specifier.endsWith('.mjs') && !isTyped)
    return 'It is taken for CommonJS: call it .mjs, or put `"type": "module"` into a package.json beside it.'
  if (isTyped) return 'Compile it to JavaScript first, or use the built program (`pnpm build`) on Node 22.18 or newer.'
  if (reason.startsWith('Unknown file extension ".ts"')) return 'Build the program first (`pnpm build`), or use `--threads 1`.'
  if (reason.startsWith('Directory import')) return 'Name a file in it, or say in a package.json there which one it is (`exports` or `main`).'
  return /^Cannot find (module|package) '/.test(reason) ? 'Check the path; a package is looked for in node_modules beside the experiment or where you stand, and above.' : ''
}

let sharesOwnPackages = false

type Resolve = (specifier: string, context: Readonly<Record<string, unknown>>) => unknown
interface Hooks {
  resolve(specifier: string, context: Readonly<Record<string, unknown>>, next: Resolve): unknown
}

/** A plug-in in a folder of its own, where nothing is installed, finds `@sched/core`, `zod` and what else this program is made of here. */
function shareOwnPackages(): void {
  if (sharesOwnPackages) return
  sharesOwnPackages = true
  const own = /^(@sched\/|zod(\/|$))/
  const { registerHooks } = modules as typeof modules & { readonly registerHooks?: (hooks: Hooks) => void }
  if (registerHooks !== undefined) return registerHooks({ resolve: (specifier, context, next) => fromHere(specifier, context, next, own) })
  // before Node 22.15 hooks run on a thread of their own, and are a module
  const hook = `export const resolve = (specifier, context, next) => next(specifier, context).catch((error) => {
    if (!${String(own)}.test(specifier)) throw error
    return next(specifier, { ...context, parentURL: ${JSON.stringify(import.meta.url)} })
  })`
  modules.register(`data:text/javascript,${encodeURIComponent(hook)}`)
}

/** Resolves a module; one of `own` that is not found from where it is asked for, from this program. */
function fromHere(specifier: string, context: Readonly<Record<string, unknown>>, next: Resolve, own: RegExp): unknown {
  try {
    return next(specifier, context)
  } catch (error) {
    if (!own.test(specifier)) throw error
    return next(specifier, { ...context, parentURL: import.meta.url })
  }
}

/** The URL of a plug-in's module. A path is relative to the file that names it, and may be the folder of a package; a package is looked up from there, then from here. */
export function locate(specifier: string, directory: string): string {
  const path = modulePath(specifier, directory)
  const require = modules.createRequire(resolve(directory, 'experiment.yaml'))
  try {
    return pathToFileURL(require.resolve(path)).href
  } catch {
    const folders = isAbsolute(path) ? [path] : (require.resolve.paths(path) ?? []).map((place) => join(place, path))
    const entry = folders.map(entryOf).find((file) => file !== undefined)
    return entry !== undefined ? pathToFileURL(entry).href : isAbsolute(path) ? pathToFileURL(path).href : specifier
  }
}

/** What the package in a folder exports, where that is for `import` alone, or the folder has no name that Node looks up. */
function entryOf(folder: string): string | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  const entry = exported((JSON.parse(readFileSync(file, 'utf8')) as { readonly exports?: unknown }).exports)
  return entry === undefined ? undefined : join(folder, entry)
}

/** Of `exports` what the package itself is, by the conditions of `import` in their order. */
function exported(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  if (typeof given !== 'object' || given === null) return undefined
  if ('.' in given) return exported(given['.'])
  const ofImport = Object.entries(given).filter(([condition]) => ['import', 'node', 'default'].includes(condition))
  return ofImport.map(([, each]) => exported(each)).find((each) => each !== undefined)
}

/** The path of a module, absolute; the name of a package stays. */
export const modulePath = (module: string, directory: string): string => (/^(\.|\/)/.test(module) || existsSync(resolve(directory, module)) ? resolve(directory, module) : module)

interface Named extends Partial<Record<string, unknown>> {
  readonly kind: Kind
  readonly name: string
}

function isNamed(value: unknown): value is Named {
  const { kind, name } = (value ?? {}) as Partial<Named>
  return typeof kind === 'string' && kinds.has(kind) && typeof name === 'string'
}

const isDefined = (value: unknown): value is Defined<Kind> => isNamed(value) && typeof value['plug'] === 'function'
const isPlain = (value: unknown): value is Omit<Definition<Kind, object, Record<never, never>>, 'summary'> & { readonly summary?: string } =>
  isNamed(value) && typeof value['create'] === 'function'
const isPreset = (value: unknown): value is Preset => isNamed(value) && value['config'] !== undefined
