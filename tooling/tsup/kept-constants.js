import ts from 'typescript'

/**
 * Keeps the constants of modules constant. The bundler makes `var` of every top-level `const`, and V8 then has to look at each use of a number, a
 * class or a function of the module whether it is still the same: code that runs per event came to 2 % more instructions.
 */
export const keptConstants = {
  name: 'kept-constants',
  renderChunk(code, { path }) {
    return /\.js$/.test(path) ? { code: withConstants(code, path) } : undefined
  },
}

/** The text with `const` for every top-level `var` that has a value from the start and is never given another. */
function withConstants(code, path) {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true)
  const changed = new Set()
  collectChanged(file, changed)
  const isConstant = ({ name, initializer }) => ts.isIdentifier(name) && initializer !== undefined && !changed.has(name.text)
  const starts = file.statements
    .filter((statement) => ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.BlockScoped) === 0)
    .filter(({ declarationList }) => declarationList.declarations.every(isConstant))
    .map((statement) => statement.getStart())
  let at = 0
  const parts = starts.map((start) => `${code.slice(at, start)}const${code.slice(start + 'var'.length, (at = start + 'var'.length + 1))}`)
  return [...parts, code.slice(at)].join('')
}

const steps = new Set([ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken])

/** Names that something is assigned to anywhere, whatever they mean there. */
function collectChanged(node, changed) {
  const target = ts.isBinaryExpression(node) && ts.isAssignmentOperator(node.operatorToken.kind)
    ? node.left
    : ts.isPostfixUnaryExpression(node) || (ts.isPrefixUnaryExpression(node) && steps.has(node.operator))
      ? node.operand
      : undefined
  if (target !== undefined) collectNames(target, changed)
  ts.forEachChild(node, (child) => collectChanged(child, changed))
}

/** Of a pattern, too. */
function collectNames(node, names) {
  if (ts.isIdentifier(node)) names.add(node.text)
  else if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) ts.forEachChild(node, (child) => collectNames(child, names))
}
