/**
 * The expected cost of the next message, as `page-quote.ts` computes it. Its button shows why and
 * how it gets cheaper. Not part of the first load: until it is loaded, the composer shows the credits of the models.
 */
import { Link } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import { useState } from 'react'
import { maxTurnCredits, unpaidTurnsPerDay } from '../../../../../worker/contract/limits.ts'
import { defaultCreditMicroDollars } from '../../../../../worker/contract/models/quote.ts'
import { mutators } from '../../../../../worker/contract/mutators.ts'
import { creditsText } from '../../../../lib/format.ts'
import { firstPaintText } from '../../../../lib/i18n/first-paint-text.ts'
import { formatNumber } from '../../../../lib/i18n/intl-format.ts'
import { pageSettings } from '../../../../lib/page-settings.ts'
import { settled, useAct } from '../../../../sync/act.ts'
import type { ThreadWithMessages } from '../../../../sync/rows.ts'
import type { ServerSource } from '../../../../sync/tool-servers.ts'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Popover } from '../../../../ui/popover.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { toastRefusal } from '../../../../ui/toast-refusal.ts'
import { tooltip } from '../../../../ui/tooltip.tsx'
import { Price } from '../send-button.tsx'
import { type DraftQuote, type QuotedDraft, quoteDraft, serverTokens } from './page-quote.ts'
import { t } from './texts/en.ts'

type ComposedDraft = Omit<QuotedDraft, 'definitionTokens'> & {
  readonly sources: readonly ServerSource[]
  /** The sources whose switch was moved (`isSourceOn`). */
  readonly offTools: readonly string[]
}

export const quotedPart = ({ sources, offTools, ...draft }: ComposedDraft) => ({
  QuotedPrice,
  quote: quoteDraft(
    { ...draft, definitionTokens: serverTokens(sources, offTools) },
    pageSettings.creditMicroDollars ?? defaultCreditMicroDollars,
  ),
})

type QuotedPriceProps = {
  readonly quote: DraftQuote
  readonly thread: ThreadWithMessages | undefined
  readonly onChooseModel: () => void
}

function QuotedPrice({ quote, thread, onChooseModel }: QuotedPriceProps) {
  if (quote.isPlan)
    return (
      <span {...tooltip(t('planPrice', { count: unpaidTurnsPerDay }), { describes: true })}>
        <Price credits={0} />
      </span>
    )
  const { minimum, expected, most, inputTokens, toolTokens } = quote
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
            {isAboveMinimum && toolTokens > 0 && ` ${t('priceOfTools', { tokens: toolTokens })}`}
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
