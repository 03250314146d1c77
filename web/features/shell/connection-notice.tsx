/** One line while the connection is down. Renders nothing while connected. */
import { CloudOff, TriangleAlert } from 'lucide-react'
import { storageHealth, storesEverything } from '../../lib/storage-health.ts'
import { useStore } from '../../lib/store.ts'
import { useConnection, useReconnect } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { t } from './texts/en.ts'

export function ConnectionNotice() {
  const { status, reason } = useConnection()
  const reconnect = useReconnect()
  const health = useStore(storageHealth)
  return (
    <div role="status" className="text-xs text-muted-foreground">
      {status === 'offline' && (
        <p className="mb-1.5 flex items-start gap-2 px-2 py-1">
          <CloudOff aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-warning" />
          {offlineText(storesEverything(health))}
        </p>
      )}
      {status === 'error' && (
        <div className="mb-1.5 flex items-start gap-2 px-2 py-1">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-danger" />
          <div className="min-w-0">
            <p>{t('connectionStopped', { reason: reason ?? '' })}</p>
            <Button size="sm" className="mt-1.5" onClick={reconnect}>
              {t('reconnect')}
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}

export const offlineText = (isStored: boolean): string => t(isStored ? 'offline' : 'offlineUnsaved')
