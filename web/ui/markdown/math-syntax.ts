/**
 * A remark plugin that parses formulas by the rules of math-rules.ts. remark-math supports neither `\(…\)` nor the distinction from money,
 * and treats everything below a stray `$$` as a formula. In the tree a formula is a `code` element marked with `data-math`.
 */
import type { Node, Nodes, Paragraph, Parent, PhrasingContent, Root } from 'mdast'
import type { CompileContext, Extension as TreeExtension } from 'mdast-util-from-markdown'
import type { Extension, Token } from 'micromark-util-types'
import { fencedMath, type Opener } from '../streaming-markdown/math-rules.ts'
import { mathTokens } from './math-tokens.ts'

/** `open`: its end has not arrived, so its source is shown. */
export type MathKind = 'inline' | 'display' | 'open'

interface Formula extends Node {
  readonly type: 'formula'
  readonly opener: Opener
  readonly data: {
    readonly hName: 'code'
    readonly hProperties: { 'data-math': MathKind }
    readonly hChildren: { readonly type: 'text'; readonly value: string }[]
  }
}

declare module 'mdast' {
  interface PhrasingContentMap {
    formula: Formula
  }
  interface RootContentMap {
    formula: Formula
  }
}

type Parser = { data(): { micromarkExtensions?: Extension[]; fromMarkdownExtensions?: (TreeExtension | TreeExtension[])[] } }

export function mathSyntax(this: Parser): (tree: Root) => void {
  const data = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), mathTokens]
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), formulas]
  return setApart
}

const formulas: TreeExtension = {
  enter: { mathText: enterText, mathFlow: enterFlow, mathTail: enterTail },
  exit: { mathText: exitNode, mathFlow: exitNode, mathTail: exitNode },
}

function enterText(this: CompileContext, token: Token): void {
  const source = this.sliceSerialize(token)
  const opener: Opener = source.startsWith('$') && !source.startsWith('$$') ? '$' : (source.slice(0, 2) as Opener)
  const value = source.slice(opener.length, -opener.length).trim()
  // Bars in a table cell are escaped, also in code and formulas.
  this.enter(formula(opener, this.data.inTable ? value.replaceAll('\\|', '|') : value, opener === '\\[' ? 'display' : 'inline'), token)
}

function enterFlow(this: CompileContext, token: Token): void {
  const { value, isClosed } = fencedMath(this.sliceSerialize(token)) ?? { value: '', isClosed: false }
  this.enter(formula('$$', value, isClosed ? 'display' : 'open'), token)
}

function enterTail(this: CompileContext, token: Token): void {
  this.enter({ type: 'paragraph', children: [] }, token)
}

function exitNode(this: CompileContext, token: Token): void {
  this.exit(token)
}

const formula = (opener: Opener, value: string, kind: MathKind): Formula => ({
  type: 'formula',
  opener,
  data: { hName: 'code', hProperties: { 'data-math': kind }, hChildren: [{ type: 'text', value }] },
})

/** A `$$…$$` formula on separate lines becomes a block; inside a sentence it stays inline. */
const setApart = (parent: Parent): void => {
  for (const child of parent.children as Nodes[]) {
    if (child.type === 'paragraph') setApartIn(child)
    else if ('children' in child) setApart(child)
  }
}

const setApartIn = ({ children }: Paragraph): void =>
  children.forEach((child, index) => {
    if (child.type !== 'formula' || child.opener !== '$$') return
    const isAlone = endsLine(children[index - 1]) && beginsLine(children[index + 1])
    if (isAlone) child.data.hProperties['data-math'] = 'display'
  })

const endsLine = (before: PhrasingContent | undefined): boolean =>
  before === undefined || before.type === 'break' || (before.type === 'text' && /\n[ \t]*$/.test(before.value))

const beginsLine = (after: PhrasingContent | undefined): boolean =>
  after === undefined || after.type === 'break' || (after.type === 'text' && /^[.,;:]?[ \t]*(?:\n|$)/.test(after.value))
