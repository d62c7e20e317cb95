import { readFile } from 'node:fs/promises'
import ts from 'typescript'

/**
 * Lets bundlers leave out what a program does not use. They keep every constant of a module that calls something, since they cannot know whether
 * that has effects, and the schemas and definitions of plug-ins do little else: here they are said to be without.
 */
export const pureConstants = {
  name: 'pure-constants',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({ contents: withPureConstants(path, await readFile(path, 'utf8')), loader: 'ts' }))
  },
}

/** The text with `/* @__PURE__ *\/` before the values of its constants, in the same lines. */
function withPureConstants(path, text) {
  const inserts = ts
    .createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    .statements.filter((statement) => ts.isVariableStatement(statement))
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ name, initializer }) => (ts.isIdentifier(name) && initializer !== undefined && calls(initializer) ? [{ at: initializer.getStart(), text: '/* @__PURE__ */ (() => (' }, { at: initializer.end, text: '))()' }] : []))
  let at = 0
  const parts = inserts.map((insert) => text.slice(at, (at = insert.at)) + insert.text)
  return [...parts, text.slice(at)].join('')
}

/** Whether something is called when the value is made. */
function calls(node) {
  if (ts.isFunctionLike(node)) return false
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return true
  return ts.forEachChild(node, calls) ?? false
}
