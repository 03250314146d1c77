/** The servers of tools that the user has connected, with their tools, and suggestions. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Wrench } from 'lucide-react'
import { useEffect, useState } from 'react'
import { maxToolServers } from '../../../../worker/contract/limits.ts'
import { failureSentence, isFailure } from '../../../lib/tool-servers/failure-sentence.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useToolServers } from '../../../sync/tool-servers.ts'
import { Button, linkClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Section } from '../../../ui/section.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { AddServerDialog } from './add-server-dialog.tsx'
import { type KnownServer, knownServers } from './known-servers.ts'
import { ServerItem } from './server-item.tsx'
import { t } from './texts/en.ts'

export function ToolsPage() {
  const me = useMe()
  const { servers, isComplete } = useToolServers()
  /** Null: an empty form. */
  const [added, setAdded] = useState<KnownServer | null | undefined>()
  useLoginOutcome()
  if (me?.user.isAnonymous)
    return (
      <EmptyState icon={Wrench}>
        {t('guest')}{' '}
        <Link to="/login" search={{ callbackUrl: '/account/tools' }} className={linkClass}>
          {t('logIn')}
        </Link>
      </EmptyState>
    )
  const full = servers.length >= maxToolServers ? failureSentence('limit') : undefined
  const suggestions = knownServers.filter(({ url }) => !servers.some((server) => server.url === url))
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose flex-1 basis-72 text-muted-foreground text-pretty">{t('intro')}</p>
        <Button variant="primary" disabledReason={full} onClick={() => setAdded(null)}>
          <Plus aria-hidden="true" className="size-4" />
          {t('addServer')}
        </Button>
      </div>
      {servers.length > 0 ? (
        <ul className="divide-y rounded-lg border">
          {servers.map((server) => (
            <ServerItem key={server.id} server={server} />
          ))}
        </ul>
      ) : (
        <EmptyState icon={Wrench} isLoading={!isComplete}>
          {t('noServers')}
        </EmptyState>
      )}
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
      {added !== undefined && <AddServerDialog known={added} onClose={() => setAdded(undefined)} />}
    </>
  )
}

/** Reports the login from which the browser returns, and removes it from the address. */
function useLoginOutcome() {
  const { login } = useSearch({ from: '/live/account/tools' })
  const navigate = useNavigate()
  useEffect(() => {
    if (login === undefined) return
    if (login === 'done') toast('success', t('loginDone'))
    else toast('error', isFailure(login) ? failureSentence(login) : t('loginExpired'))
    void navigate({ to: '/account/tools', search: {}, replace: true })
  }, [login, navigate])
}
