import { readFileSync } from 'node:fs'

/** As package.json has it, which lies one directory up from the sources and from the build alike. */
export const version: string = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version
