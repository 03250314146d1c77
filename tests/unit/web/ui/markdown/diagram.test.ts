// Only code blocks with a closed fence become diagrams.
import type { Nodes, Root } from 'mdast'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { expect, test } from 'vitest'
import { closedDiagrams } from '../../../../../web/ui/markdown/diagram.tsx'

const parser = unified().use(remarkParse).use(closedDiagrams)

const diagramsIn = (text: string): readonly string[] => {
  const found: string[] = []
  const visit = (node: Nodes): void => {
    if (node.type === 'code' && node.data?.hProperties?.['data-diagram'] === true) found.push(node.value)
    if ('children' in node) node.children.forEach(visit)
  }
  visit(parser.runSync(parser.parse(text), text) as Root)
  return found
}

test.each<[text: string, diagrams: readonly string[]]>([
  ['```mermaid\na\n```', ['a']],
  ['~~~Mermaid\na\n~~~', ['a']],
  ['- b\n  ```mermaid\n  a\n  ```\n- c', ['a']],
  ['> ```mermaid\n> a\n> ```', ['a']],
  ['```mermaid\na', []],
  ['- b\n  ```mermaid\n  a', []],
  ['```mermaid\na\n``', []],
  ['```mermaid', []],
  ['```ts\nmermaid\n```', []],
  ['    mermaid', []],
])('%j', (text, diagrams) => expect(diagramsIn(text)).toEqual(diagrams))
