/** How full the context of the thread is: a ring, with the details in a popover. */
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { Meter } from '../../../ui/meter.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { type ContextUse, roundedTokens } from './context-use.ts'
import { t } from './texts/en.ts'

export function ContextMeter({ use }: { readonly use: ContextUse }) {
  const share = use.before === 'toSummarize' || use.maxTokens <= 0 ? 1 : Math.min(1, use.tokens / use.maxTokens)
  const percent = formatNumber(Math.round(share * 100) / 100, { style: 'percent' })
  const label = t(use.isAtLeast ? 'contextAtLeast' : 'contextUsed', { percent })
  return (
    <Popover
      label={t('context')}
      placement="top-end"
      className="flex w-72 flex-col gap-2.5 p-3 text-sm text-pretty"
      trigger={(props) => (
        <button
          {...props}
          type="button"
          aria-label={label}
          {...tooltip(label)}
          className="flex size-9 shrink-0 touch-target items-center justify-center rounded-lg text-muted-foreground transition-colors hover:bg-foreground/7 hover:text-foreground aria-expanded:bg-foreground/7 aria-expanded:text-foreground"
        >
          <Ring share={share} />
        </button>
      )}
    >
      {() => (
        <>
          <p className="flex justify-between gap-3 font-medium">
            {t('context')} <span className="font-normal text-muted-foreground">{label}</span>
          </p>
          <Meter label={label} value={share} max={1} />
          <p className="text-muted-foreground">
            {t('contextTokens', { model: use.modelName, tokens: roundedTokens(use.tokens), max: roundedTokens(use.maxTokens) })}
          </p>
          <p className="text-muted-foreground">{sentenceOn(use)}</p>
        </>
      )}
    </Popover>
  )
}

function sentenceOn({ before, modelName }: ContextUse): string {
  switch (before) {
    case 'sent':
      return t('contextSent')
    case 'summarized':
      return t('contextSummarized')
    case 'toSummarize':
      return t('contextToSummarize')
    case 'omitted':
      return t('contextOmitted', { model: modelName })
  }
}

const radius = 6.25
const circumference = 2 * Math.PI * radius

function Ring({ share }: { readonly share: number }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" className="size-4 -rotate-90" fill="none" strokeWidth="2.5">
      <circle cx="8" cy="8" r={radius} className="stroke-foreground/18" />
      <circle
        cx="8"
        cy="8"
        r={radius}
        stroke="currentColor"
        strokeLinecap="round"
        strokeDasharray={`${share * circumference} ${circumference}`}
      />
    </svg>
  )
}
