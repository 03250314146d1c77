/** Text for tokens, cost and durations of answers. */
import type { ModelUse } from '../../../../worker/contract/models/model-use.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { t } from './texts/en.ts'

/** "1,000 in (600 cached)" and "50 out (30 reasoning)", as far as they are known. */
export function tokensDetail({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: ModelUse): readonly string[] {
  return [
    ...(inputTokens === null
      ? []
      : [
          cachedInputTokens
            ? t('tokensInCached', { tokens: inputTokens, part: cachedInputTokens })
            : t('tokensIn', { tokens: inputTokens }),
        ]),
    ...(outputTokens === null
      ? []
      : [
          reasoningTokens
            ? t('tokensOutReasoning', { tokens: outputTokens, part: reasoningTokens })
            : t('tokensOut', { tokens: outputTokens }),
        ]),
  ]
}

/** "$12.35", "$0.0123", "$0.0014", "$0.000003" */
export function formatCost(microDollars: number): string {
  const dollars = microDollars / 1_000_000
  const digits =
    microDollars === 0 || microDollars >= 1_000_000
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : microDollars >= 10_000
        ? { minimumFractionDigits: 2, maximumFractionDigits: 4 }
        : { maximumSignificantDigits: 2 }
  return formatNumber(dollars, { style: 'currency', currency: 'USD', ...digits })
}

type Cost = { readonly microDollars?: number | null | undefined; readonly unpriced?: number | null | undefined }

/** Null where no cost is known, which is not a cost of 0. */
export function costText({ microDollars, unpriced }: Cost): string | null {
  if (microDollars == null) return null
  return unpriced ? t('atLeast', { cost: formatCost(microDollars) }) : formatCost(microDollars)
}

/** "0.8 s", "12 s", "2 min 5 s" */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return t('seconds', { seconds: formatNumber(ms / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) })
  const seconds = Math.round(ms / 1000)
  return seconds < 60
    ? t('seconds', { seconds: formatNumber(seconds) })
    : t('minutesSeconds', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 })
}
