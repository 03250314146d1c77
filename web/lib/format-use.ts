/** Text for tokens, cost and durations of answers. */
import type { ModelUse } from '../../worker/contract/model-use.ts'

export const formatTokens = (count: number): string => count.toLocaleString('en-US')

/** "1,000 in (600 cached)" and "50 out (30 reasoning)", as far as they are known. */
export function tokensDetail({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: ModelUse): readonly string[] {
  const side = (count: number | null, name: string, part: number | null, partName: string): readonly string[] =>
    count === null ? [] : [`${formatTokens(count)} ${name}${part ? ` (${formatTokens(part)} ${partName})` : ''}`]
  return [...side(inputTokens, 'in', cachedInputTokens, 'cached'), ...side(outputTokens, 'out', reasoningTokens, 'reasoning')]
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
  return dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD', ...digits })
}

type Cost = { readonly microDollars?: number | null | undefined; readonly unpriced?: number | null | undefined }

/** Null where no cost is known, which is not a cost of 0. */
export function costText({ microDollars, unpriced }: Cost): string | null {
  if (microDollars == null) return null
  return unpriced ? `at least ${formatCost(microDollars)}` : formatCost(microDollars)
}

/** "0.8 s", "12 s", "2 min 5 s" */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
