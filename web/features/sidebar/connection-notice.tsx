/** Silent while all is well; one line when what is on screen may be behind, and what that means for the person. */
import { CloudOff, TriangleAlert } from 'lucide-react'
import { useConnection, useReconnect } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'

export function ConnectionNotice() {
  const { status, reason } = useConnection()
  const reconnect = useReconnect()
  return (
    <div role="status" className="text-xs text-muted-foreground">
      {status === 'offline' && (
        <p className="mb-1.5 flex items-start gap-2 px-2 py-1">
          <CloudOff aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-warning" />
          Offline. What you write is kept and sent when the connection is back.
        </p>
      )}
      {status === 'error' && (
        <div className="mb-1.5 flex items-start gap-2 px-2 py-1">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-danger" />
          <div className="min-w-0">
            <p>The connection has stopped. {reason}</p>
            <Button size="sm" className="mt-1.5" onClick={reconnect}>
              Reconnect
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}
