// Only code blocks with a closed fence become diagrams.
import { expect, test } from 'vitest'
import { isDiagram } from '../../../../../web/ui/code-colours/language-names.ts'
import { isClosed, languageOf } from '../../../../../web/ui/markdown/element-tree.ts'
import { answerParser, noDefinitions } from '../../../../../web/ui/streaming-markdown/answer-parser.ts'

const diagramsIn = (text: string): readonly string[] =>
  answerParser
    .parse(text, noDefinitions())
    .flatMap((token) => (token.type === 'fence' && isDiagram(languageOf(token)) && isClosed(token) ? [token.content.trimEnd()] : []))

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
