/**
 * The expected cost of the next message, by the function that the server reserves with (worker/contract/models/quote.ts). Its button shows why and
 * how it gets cheaper. Not part of the first load: until it is loaded, the composer shows the credits of the models.
 */
import { Link } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import { useState } from 'react'
import { type AttachedFile, filePart } from '../../../../../worker/contract/files/files.ts'
import { maxTurnCredits, unpaidTurnsPerDay } from '../../../../../worker/contract/limits.ts'
import { budgetFor } from '../../../../../worker/contract/models/context-budget.ts'
import { sentRequest } from '../../../../../worker/contract/models/context-window.ts'
import { effortFor } from '../../../../../worker/contract/models/effort.ts'
import type { TurnMode } from '../../../../../worker/contract/models/modes.ts'
import { defaultCreditMicroDollars, exceedsTurnLimit, type Quote, quoteFor } from '../../../../../worker/contract/models/quote.ts'
import { messageTokens } from '../../../../../worker/contract/models/token-estimates.ts'
import { mutators } from '../../../../../worker/contract/mutators.ts'
import { pathTo } from '../../../../../worker/contract/threads/branches.ts'
import type { ChatMessage } from '../../../../../worker/contract/threads/messages.ts'
import { creditsText } from '../../../../lib/format.ts'
import { firstPaintText } from '../../../../lib/i18n/first-paint-text.ts'
import { formatNumber } from '../../../../lib/i18n/intl-format.ts'
import { pageSettings } from '../../../../lib/page-settings.ts'
import { settled, useAct } from '../../../../sync/act.ts'
import type { Me, ModelRow, ProjectRow, ThreadWithMessages } from '../../../../sync/rows.ts'
import type { ThreadState } from '../../../../sync/thread.ts'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Popover } from '../../../../ui/popover.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { toastRefusal } from '../../../../ui/toast-refusal.ts'
import { tooltip } from '../../../../ui/tooltip.tsx'
import { Price } from '../send-button.tsx'
import { t } from './texts/en.ts'

/** The sums over the models that answer. */
export type DraftQuote = Quote & {
  /** The input of the first request of the largest answer. */
  readonly inputTokens: number
  /** An answer is expected to cost more than the limit of the thread. */
  readonly exceedsLimit: boolean
}

export type QuotedDraft = {
  readonly me: Pick<Me, 'plan' | 'setting' | 'model'> | undefined
  readonly others: readonly ModelRow[]
  readonly mode: TurnMode
  readonly shown: ThreadState
  readonly parentId: string | null
  readonly draft: { readonly text: string; readonly files: readonly AttachedFile[]; readonly choices: { readonly effort: string | null } }
  readonly project: ProjectRow | undefined
}

/** Null for a research, whose plan costs nothing, and before the user is loaded. */
export function quoteDraft({ me, others, mode, shown, parentId, draft, project }: QuotedDraft): DraftQuote | null {
  if (!me?.model || mode === 'research') return null
  const { plan, setting } = me
  const { thread } = shown
  const hasOlder = shown.state === 'found' && shown.hasOlder
  const next: ChatMessage = { id: 'next', role: 'user', parts: [{ type: 'text', text: draft.text }, ...draft.files.map(filePart)] }
  const path = pathTo(thread?.messages ?? [], parentId).map(({ message }) => message)
  const turnCredits = thread?.turnCredits
  const effort = thread ? thread.effort : draft.choices.effort
  const quotes = [me.model, ...others].map((model) => {
    const budget = budgetFor(plan, model)
    const estimate = sentRequest([...path, next], budget, { profile: setting, project }).inputTokens
    const inputTokens = hasOlder ? Math.max(estimate, Math.min(budget.inputTokens, lastUse(path) + messageTokens(next))) : estimate
    const mayUseTools = model.capabilities?.includes('tools') ?? false
    const quoted = { model, plan, mode, effort: effortFor(model, effort), inputTokens, turnCredits, mayUseTools }
    const quote = quoteFor(quoted, pageSettings.creditMicroDollars ?? defaultCreditMicroDollars)
    return { ...quote, inputTokens, exceedsLimit: exceedsTurnLimit(quote, quoted) }
  })
  const sum = (of: (quote: Quote) => number) => quotes.reduce((total, quote) => total + of(quote), 0)
  return {
    minimum: sum(({ minimum }) => minimum),
    expected: sum(({ expected }) => expected),
    most: sum(({ most }) => most),
    inputTokens: Math.max(...quotes.map((quote) => quote.inputTokens)),
    exceedsLimit: quotes.some(({ exceedsLimit }) => exceedsLimit),
  }
}

export const quotedPart = (draft: QuotedDraft) => ({ QuotedPrice, quote: quoteDraft(draft) })

/** The tokens of the last answer that was one request: what it sent and wrote is sent again. */
function lastUse(path: readonly ChatMessage[]): number {
  const last = path.findLast((message) => message.role === 'assistant' && message.metadata.use?.requests === 1)
  const use = last?.role === 'assistant' ? last.metadata.use : undefined
  return (use?.inputTokens ?? 0) + (use?.outputTokens ?? 0)
}

type QuotedPriceProps = {
  /** Null for a research. */
  readonly quote: DraftQuote | null
  readonly thread: ThreadWithMessages | undefined
  readonly onChooseModel: () => void
}

function QuotedPrice({ quote, thread, onChooseModel }: QuotedPriceProps) {
  if (!quote)
    return (
      <span {...tooltip(t('planPrice', { count: unpaidTurnsPerDay }), { describes: true })}>
        <Price credits={0} />
      </span>
    )
  const { minimum, expected, most, inputTokens } = quote
  const isAboveMinimum = expected > minimum
  return (
    <Popover
      label={t('messagePrice')}
      placement="top-end"
      className="w-80 p-4"
      trigger={(props) => (
        <button
          {...props}
          type="button"
          {...tooltip(t('messagePrice'), { describes: true })}
          className="h-9 shrink-0 touch-target rounded-lg px-1.5 text-xs whitespace-nowrap text-muted-foreground transition-colors hover:bg-foreground/7 hover:text-foreground aria-expanded:bg-foreground/7 aria-expanded:text-foreground"
        >
          <Coins className="mr-1 inline size-3.5 align-[-0.2em] @2xl:hidden" aria-hidden="true" />
          {isAboveMinimum && '≈ '}
          {formatNumber(expected)} <span className="@max-2xl:sr-only">{firstPaintText('creditUnit', { credits: expected })}</span>
        </button>
      )}
    >
      {(close) => (
        <div className="flex flex-col gap-3 text-sm">
          <p className="font-medium">{isAboveMinimum ? t('aboutCredits', { credits: creditsText(expected) }) : creditsText(expected)}</p>
          <p className="text-xs text-pretty text-muted-foreground">
            {t(isAboveMinimum ? 'priceAboveMinimum' : 'priceIsMinimum', { tokens: inputTokens, minimum, most })}
          </p>
          {isAboveMinimum && (
            <div className="flex flex-wrap gap-2">
              {thread && (
                <Link to="/" onClick={close} className={buttonClass({ size: 'sm' })}>
                  {t('startShorterThread')}
                </Link>
              )}
              <Button
                size="sm"
                onClick={() => {
                  close()
                  onChooseModel()
                }}
              >
                {t('chooseCheaperModel')}
              </Button>
            </div>
          )}
          {thread && <TurnLimit key={thread.id} threadId={thread.id} credits={thread.turnCredits ?? null} />}
        </div>
      )}
    </Popover>
  )
}

/** The most credits of an answer in the thread. Saved when the field loses the focus. */
function TurnLimit({ threadId, credits }: { readonly threadId: string; readonly credits: number | null }) {
  const act = useAct()
  const [text, setText] = useState(credits === null ? '' : String(credits))
  const limit = text.trim() === '' ? null : Number(text)
  const isValid = limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= maxTurnCredits)
  const save = () => {
    if (isValid && limit !== credits) void toastRefusal(settled(act(mutators.threads.setTurnCredits({ threadId, credits: limit }))))
  }
  return (
    <TextField
      label={t('turnLimit')}
      description={t('turnLimitDescription')}
      error={isValid ? undefined : t('turnLimitError', { max: maxTurnCredits })}
      inputMode="numeric"
      placeholder={t('turnLimitDefault')}
      value={text}
      onValueChange={setText}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        save()
      }}
    />
  )
}
