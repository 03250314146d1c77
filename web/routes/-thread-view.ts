/**
 * The conversation brings Markdown with it and an empty page needs neither, so it is fetched by the first thread that is
 * opened, or after the first sign of a person.
 */
import { lazy } from 'react'
import { importPatiently } from '../lib/patient-import.ts'

export const loadThreadView = () => importPatiently(() => import('../features/thread/thread-view.tsx'))

export const ThreadView = lazy(() => loadThreadView().then((module) => ({ default: module.ThreadView })))
