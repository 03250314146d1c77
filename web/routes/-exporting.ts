/** The export of threads. Apart from the overlays, because the first load names every chunk that they import. */
import { later } from '../lib/later.ts'

export const Exporting = later(() => import('../features/chat/thread/exporting.tsx').then((module) => module.Exporting))
