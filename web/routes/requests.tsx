/** Overlays that are opened with a request. Separate from the others, because the first load names every chunk that the others import. */
import { UsedMemories } from '../features/account/memory/used-memories.tsx'
import { PromptDialog } from '../features/account/prompts/prompts-page.tsx'
import { ModelField } from '../features/chat/models/model-field.tsx'
import { Exporting } from '../features/chat/thread/exporting.tsx'
import { ProWelcome } from '../features/chat/thread/pro-welcome.tsx'
import { ProjectDialog } from '../features/shell/library/project-dialog.tsx'
import type { OverlayRequest } from '../lib/overlays.ts'

type RequestedProps = { readonly request: OverlayRequest; readonly onClose: () => void }

export function Requested({ request, onClose }: RequestedProps) {
  if ('welcomesTo' in request) return <ProWelcome onClose={onClose} />
  if ('memories' in request) return <UsedMemories given={request.memories} onClose={onClose} />
  if ('promptText' in request) return <PromptDialog prompt={null} text={request.promptText} onClose={onClose} />
  if ('projectId' in request) return <ProjectDialog projectId={request.projectId} ModelField={ModelField} onClose={onClose} />
  return <Exporting request={request} onClose={onClose} />
}
