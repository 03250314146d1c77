/** The servers of the user or of an organization, to add and change them, with suggestions. */
import { useNavigate } from '@tanstack/react-router'
import { Plus, Wrench } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { maxToolServers } from '../../../../worker/contract/limits.ts'
import { failureSentence, isFailure } from '../../../lib/tool-servers/failure-sentence.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Section } from '../../../ui/section.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { AddServerDialog } from './add-server-dialog.tsx'
import { type KnownServer, knownServers } from './known-servers.ts'
import { ServerItem, type ServerUse, type ShownServer } from './server-item.tsx'
import { t } from './texts/en.ts'

type ServerListProps = {
  readonly servers: readonly ShownServer[]
  readonly isComplete: boolean
  readonly intro: string
  /** Absent: the servers are the user's. */
  readonly organizationId?: string
  /** Shown between the list and the suggestions. */
  readonly children?: ReactNode
}

export function ServerList({ servers, isComplete, intro, organizationId, children }: ServerListProps) {
  /** Null: an empty form. */
  const [added, setAdded] = useState<KnownServer | null | undefined>()
  const full = servers.length >= maxToolServers ? failureSentence('limit') : undefined
  const suggestions = knownServers.filter(({ url }) => !servers.some(({ host }) => host === new URL(url).host))
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose flex-1 basis-72 text-muted-foreground text-pretty">{intro}</p>
        <Button variant="primary" disabledReason={full} onClick={() => setAdded(null)}>
          <Plus aria-hidden="true" className="size-4" />
          {t('addServer')}
        </Button>
      </div>
      {servers.length > 0 ? (
        <ServerItems servers={servers} use={organizationId === undefined ? 'personal' : 'manager'} />
      ) : (
        <EmptyState icon={Wrench} isLoading={!isComplete}>
          {t('noServers')}
        </EmptyState>
      )}
      {children}
      {suggestions.length > 0 && (
        <div className="mt-8">
          <Section title={t('suggestions')} description={t('suggestionsDescription')}>
            <ul className="divide-y rounded-lg border">
              {suggestions.map((known) => (
                <li key={known.url} className="flex items-center gap-3 px-3 py-2.5">
                  <div className="min-w-0 flex-1">
                    <div className="font-medium">{known.name}</div>
                    <p className="text-muted-foreground text-pretty">{t(known.about)}</p>
                  </div>
                  <Button size="sm" aria-label={t('addNamed', { name: known.name })} disabledReason={full} onClick={() => setAdded(known)}>
                    {t('add')}
                  </Button>
                </li>
              ))}
            </ul>
          </Section>
        </div>
      )}
      {added !== undefined && <AddServerDialog known={added} organizationId={organizationId} onClose={() => setAdded(undefined)} />}
    </>
  )
}

type ServerItemsProps = { readonly servers: readonly ShownServer[]; readonly use: ServerUse }

export const ServerItems = ({ servers, use }: ServerItemsProps) => (
  <ul className="divide-y rounded-lg border">
    {servers.map((server) => (
      <ServerItem key={server.id} server={server} use={use} />
    ))}
  </ul>
)

/** Reports the login from which the browser returns, and removes it from the address. */
export function useLoginOutcome(login: string | undefined): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (login === undefined) return
    if (login === 'done') toast('success', t('loginDone'))
    else toast('error', isFailure(login) ? failureSentence(login) : t('loginExpired'))
    void navigate({ to: '.', search: {}, replace: true })
  }, [login, navigate])
}
