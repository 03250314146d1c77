/** How far a running call is, as its server reports it. */
import type { ToolProgress } from '../../../../worker/contract/threads/messages.ts'
import { t } from './texts/en.ts'

/** Chosen: a screen reader says each quarter, not each report. */
const spokenSteps = 4

export function CallProgress({ tool, progress: { progress, total, message } }: { readonly tool: string; readonly progress: ToolProgress }) {
  const share = total === undefined ? null : Math.min(1, Math.max(0, progress / total))
  const spoken = share === null ? (message ?? '') : t('progressShare', { tool, share: Math.floor(share * spokenSteps) / spokenSteps })
  return (
    <div className="mt-1 ml-5 flex max-w-sm flex-col gap-1">
      {share !== null && (
        <div
          role="progressbar"
          aria-label={t('progress', { tool })}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          className="h-1 overflow-hidden rounded-full bg-foreground/10"
        >
          <div className="h-full origin-left bg-accent transition-transform" style={{ transform: `scaleX(${share})` }} />
        </div>
      )}
      <p dir="auto" className="text-xs text-muted-foreground wrap-anywhere tabular-nums">
        {[message, total === undefined ? null : t('progressOf', { progress, total })].filter(Boolean).join(' · ')}
      </p>
      <span role="status" className="sr-only">
        {spoken}
      </span>
    </div>
  )
}
