/** The expected cost of the continued answer, at its calls that wait. Shown if it exceeds the minimum of the model. */
import { defaultCreditMicroDollars } from '../../../../worker/contract/models/quote.ts'
import { creditsText } from '../../../lib/format.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import { useProject } from '../../../sync/organise.ts'
import type { ApprovalRow } from '../../../sync/rows.ts'
import { useSummaries, useThread } from '../../../sync/thread.ts'
import { useServerSources } from '../../../sync/tool-servers.ts'
import { quoteAllowed, serverTokens } from '../composer/price/page-quote.ts'
import { t } from './texts/en.ts'

export function ContinuationPrice({ approval: { threadId, messageId } }: { readonly approval: ApprovalRow }) {
  const { thread } = useThread(threadId)
  const me = useMe()
  const { models } = useModels()
  const project = useProject(thread?.projectId)
  const summaries = useSummaries(threadId)
  const definitionTokens = serverTokens(useServerSources(), thread?.offTools ?? project?.offTools ?? [])
  const creditPrice = pageSettings.creditMicroDollars ?? defaultCreditMicroDollars
  const quote = quoteAllowed({ me, thread, project, summaries, definitionTokens, models }, messageId, creditPrice)
  if (!quote || quote.expected <= quote.minimum) return null
  return <p className="px-4 pt-3 text-xs text-muted-foreground">{t('continuationPrice', { credits: creditsText(quote.expected) })}</p>
}
