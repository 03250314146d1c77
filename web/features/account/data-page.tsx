/** The user's data: how much is stored, import, export, and what is shared by link. */
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { contentState, type Plan } from '../../../worker/contract/access.ts'
import { refusalIn } from '../../../worker/contract/errors.ts'
import { formatNumber } from '../../lib/i18n/intl-format.ts'
import { publicUrls } from '../../lib/public-urls.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useMe } from '../../sync/hooks.ts'
import type { UsageRow } from '../../sync/rows.ts'
import { shareUrl, useIsSharingOff, useRevokeShare, useShares } from '../../sync/shares.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkItem } from '../../ui/link-item.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Section } from '../../ui/section.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { toastWhile } from '../../ui/toast-while.ts'
import { ImportSection } from './import/import-section.tsx'
import { t } from './texts/en.ts'

export function DataPage() {
  const me = useMe()
  if (!me) return <LoadingBlock className="h-96" />
  return (
    <>
      <StorageSection plan={me.plan} usage={me.usage} />
      <ImportSection userId={me.user.id} />
      <ExportSection />
      <SharedLinksSection />
    </>
  )
}

/** Resolves with null, or with the sentence of a refusal. A link could not show that sentence: it would download the refusal as a file. */
async function downloadExport(): Promise<string | null> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/account/export`, { credentials: 'include' })
    if (!response.ok) return refusalSentence(refusalIn(await response.json().catch(() => null)))
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    saveFile(await response.blob(), name ?? 'parley.json')
    return null
  } catch {
    return t('downloadInterrupted')
  }
}

/** Downloads the user's data as one file, or shows why the server refused. */
function ExportSection() {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const download = async () => {
    setPending(true)
    setProblem(null)
    setProblem(await toastWhile(t('preparingData'), downloadExport()))
    setPending(false)
  }
  return (
    <Section title={t('yourData')} description={t('yourDataDescription')}>
      <Button pending={isPending} onClick={() => void download()}>
        {t('downloadData')}
      </Button>
      {problem !== null && (
        <p role="alert" className="mt-2 text-danger text-pretty">
          {problem}
        </p>
      )}
    </Section>
  )
}

/** Chosen: the section stays short, and few users have more links. */
const shownAtFirst = 5

/** The user's shared links. The list is live: a link that another device creates or revokes appears or disappears at once. */
function SharedLinksSection() {
  const { shares, isComplete } = useShares()
  const { revoking, revoke } = useRevokeShare()
  const [showsAll, setShowsAll] = useState(false)
  const isOff = useIsSharingOff()
  const shown = showsAll ? shares : shares.slice(0, shownAtFirst)
  return (
    <Section title={t('sharedLinks')} description={t(isOff ? 'sharedLinksOff' : 'sharedLinksDescription')}>
      {shares.length === 0 && (
        <EmptyState icon={Link2} isLoading={!isComplete}>
          {t('noSharedLinks')}
        </EmptyState>
      )}
      {shares.length > 0 && (
        <ul className="divide-y rounded-lg border">
          {shown.map((share) => (
            <LinkItem
              key={share.id}
              title={share.title ?? t('untitledLink')}
              url={shareUrl(share.id)}
              link={share}
              isRevoking={revoking.has(share.id)}
              onRevoke={() => void toastRefusal(revoke(share.id))}
            />
          ))}
        </ul>
      )}
      {shown.length < shares.length && (
        <Button className="mt-3" onClick={() => setShowsAll(true)}>
          {t('showAllLinks', { links: shares.length })}
        </Button>
      )}
    </Section>
  )
}

type StorageSectionProps = { readonly plan: Plan; readonly usage: UsageRow | undefined }

/** How much of the plan's storage for threads and messages is used. */
function StorageSection({ plan, usage }: StorageSectionProps) {
  const { bytes, maxBytes, rows, maxRows, share, warn } = contentState(plan, usage)
  // The counts are rounded down, so that those of a new account would read as zero.
  const isUnused = share < 0.01
  return (
    <Section title={t('storage')} description={t('storageDescription')}>
      <div className="flex flex-wrap justify-between gap-x-4 text-muted-foreground">
        <span>{isUnused ? t('lessThan1Percent') : t('ofSize', { used: megabytes(bytes), max: megabytes(maxBytes) })}</span>
        <span>{isUnused ? t('ofSizeAndRows', { max: megabytes(maxBytes), rows: maxRows }) : t('ofRows', { rows, max: maxRows })}</span>
      </div>
      <Meter
        label={t('storageUsed')}
        value={Math.round(Math.min(1, share) * 1000) / 10}
        max={100}
        tone={warn ? 'warning' : 'accent'}
        className="mt-2.5 h-1.5"
      />
      {share >= 1 && (
        <p role="status" className="mt-3 text-pretty">
          {refusalSentence({ code: 'content_full' })}
        </p>
      )}
    </Section>
  )
}

const megabyte = 1024 * 1024

/** Binary megabytes, like the limits. */
const megabytes = (bytes: number): string =>
  formatNumber(bytes / megabyte, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: bytes < megabyte ? 2 : bytes < 10 * megabyte ? 1 : 0,
  })
