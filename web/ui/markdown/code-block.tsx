/** A code block: language, copy button, wrapped or scrolling lines, colours. */
import { WrapText } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { IconButton } from '../icon-button.tsx'
import { type CodeChunk, chunksOf } from './code-chunks.ts'
import { piecesOf } from './code-directions.ts'
import type { Token } from './highlight.ts'
import { languageOf } from './languages.ts'
import { scrollTabStop } from './scroll-tab-stop.ts'
import { t } from './texts/en.ts'
import { useHighlighted } from './use-highlighted.ts'

type CodeBlockProps = {
  readonly code: string
  readonly language: string
  readonly isGrowing?: boolean
  /** An additional button, before the others. */
  readonly action?: ReactNode
  /** A note below the code. */
  readonly note?: string | undefined
}

export const CodeBlock = memo(function CodeBlock({ code, language, isGrowing = false, action, note }: CodeBlockProps) {
  const [isWrapped, setWrapped] = useState(false)
  const tokens = useHighlighted(code, language, isGrowing)
  return (
    <div className="md-code">
      <div className="md-code-head">
        <span className="truncate">{language || 'text'}</span>
        <span className="flex">
          {action}
          <IconButton size="sm" label={t('wrapLines')} aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
            <WrapText />
          </IconButton>
          <CopyButton label={t('copyCode')} text={() => code} />
        </span>
      </div>
      <pre ref={scrollTabStop} data-wrap={isWrapped || undefined}>
        <code>
          {chunksOf(tokens).map((chunk, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: runs of lines have no identity but their place
            <Chunk key={index} chunk={chunk} language={languageOf(language)} />
          ))}
        </code>
      </pre>
      {note && <p className="md-note">{note}</p>}
    </div>
  )
})

const Chunk = memo(
  function Chunk({ chunk, language }: { readonly chunk: CodeChunk; readonly language: string | null }) {
    return (
      <span>
        {chunk.tokens.map((token, index) =>
          token.className ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
            <span key={index} className={token.className}>
              {textOf(token, language)}
            </span>
          ) : (
            textOf(token, language)
          ),
        )}
      </span>
    )
  },
  (before, after) => before.chunk.signature === after.chunk.signature && before.language === after.language,
)

const textOf = (token: Token, language: string | null): ReactNode => {
  const pieces = piecesOf(token, language)
  if (pieces.every(({ isIsolated }) => !isIsolated)) return token.text
  return pieces.map(({ text, isIsolated }, index) =>
    isIsolated ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
      <bdi key={index} dir="ltr">
        {text}
      </bdi>
    ) : (
      text
    ),
  )
}
