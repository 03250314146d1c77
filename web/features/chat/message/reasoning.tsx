/** The reasoning of a model: open while it streams, closed automatically when it ends, unless the user toggled it. */
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { t } from './texts/en.ts'

type ReasoningProps = { readonly text: string; readonly isRunning: boolean; readonly durationMs: number | null }

export function Reasoning({ text, isRunning, durationMs }: ReasoningProps) {
  // Some models do not return their reasoning: nothing can be opened.
  if (text === '' && !isRunning) return <p className="text-sm text-muted-foreground">{thoughtFor(durationMs)}</p>
  return (
    <Disclosure open={isRunning} summary={isRunning ? <span className="animate-breathe">{t('thinking')}</span> : thoughtFor(durationMs)}>
      <div className="ml-[0.1875rem] border-l-2 border-foreground/12 pl-4">
        <Markdown text={text} isGrowing={isRunning} className="md-quiet" />
      </div>
    </Disclosure>
  )
}

export function thoughtFor(durationMs: number | null): string {
  if (durationMs === null) return t('thought')
  const seconds = Math.max(1, Math.round(durationMs / 1000))
  if (seconds < 60) return t('thoughtSeconds', { seconds })
  return t('thoughtMinutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 })
}
