import ts from 'typescript'

/**
 * Keeps the constants of modules constant, and writes numbers in their place. The bundler makes `var` of every top-level `const`, and V8 then looks
 * at each use of a number, a class or a function of the module whether it is still the same; numbers by name also make functions longer, of which
 * fewer are inlined then. Lines stay where they are; columns in a source map may be a few off.
 */
export const keptConstants = {
  name: 'kept-constants',
  renderChunk(code, { path }) {
    return /\.js$/.test(path) ? { code: withConstants(code, path) } : undefined
  },
}

/** The text with `const` for every top-level `var` that has a value from the start and is never given another, and with those that are numbers written out. */
function withConstants(code, path) {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true)
  const names = { changed: new Set(), declared: new Map() }
  collectNames(file, names)
  const constants = file.statements
    .filter((statement) => ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.BlockScoped) === 0)
    .filter(({ declarationList: { declarations } }) => declarations.every(({ name, initializer }) => ts.isIdentifier(name) && initializer !== undefined && !names.changed.has(name.text)))
  const numbers = new Map(
    constants
      .flatMap(({ declarationList }) => declarationList.declarations)
      .filter(({ name, initializer }) => names.declared.get(name.text) === 1 && isNumber(initializer))
      .map(({ name, initializer }) => [name.text, initializer.getText()]),
  )
  const edits = constants.map((statement) => ({ at: statement.getStart(), end: statement.getStart() + 'var'.length, text: 'const' }))
  collectUses(file, numbers, edits)
  let at = 0
  const parts = edits.sort((a, b) => a.at - b.at).map((edit) => `${code.slice(at, edit.at)}${((at = edit.end), edit.text)}`)
  return [...parts, code.slice(at)].join('')
}

const isNumber = (node) => ts.isNumericLiteral(node) || (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken && ts.isNumericLiteral(node.operand))

/** Where the numbers are used by name. */
function collectUses(node, numbers, edits) {
  if (ts.isIdentifier(node) && numbers.has(node.text)) {
    const number = numbers.get(node.text)
    const { parent } = node
    if (ts.isShorthandPropertyAssignment(parent)) edits.push({ at: node.getStart(), end: node.end, text: `${node.text}: ${number}` })
    else if (isRead(node, parent)) edits.push({ at: node.getStart(), end: node.end, text: number.startsWith('-') || ts.isPropertyAccessExpression(parent) ? `(${number})` : number })
  }
  ts.forEachChild(node, (child) => collectUses(child, numbers, edits))
}

const isRead = (node, parent) =>
  !(ts.isVariableDeclaration(parent) && parent.name === node) && !ts.isExportSpecifier(parent) && !(ts.isPropertyAccessExpression(parent) && parent.name === node) &&
  !((ts.isPropertyAssignment(parent) || ts.isClassElement(parent)) && parent.name === node) && !ts.isBindingElement(parent) && !ts.isLabeledStatement(parent)

const steps = new Set([ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken])

/** Names that something is assigned to anywhere, whatever they mean there, and how often each is declared. */
function collectNames(node, names) {
  const target = ts.isBinaryExpression(node) && ts.isAssignmentOperator(node.operatorToken.kind)
    ? node.left
    : ts.isPostfixUnaryExpression(node) || (ts.isPrefixUnaryExpression(node) && steps.has(node.operator))
      ? node.operand
      : undefined
  if (target !== undefined) forEachName(target, (name) => names.changed.add(name))
  if ((ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node) || ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isImportSpecifier(node)) && node.name !== undefined)
    forEachName(node.name, (name) => names.declared.set(name, (names.declared.get(name) ?? 0) + 1))
  ts.forEachChild(node, (child) => collectNames(child, names))
}

/** Of a pattern, too. */
function forEachName(node, tell) {
  if (ts.isIdentifier(node)) tell(node.text)
  else if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) ts.forEachChild(node, (child) => forEachName(child, tell))
}
