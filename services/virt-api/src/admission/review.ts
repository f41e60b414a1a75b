import type { JsonPatchOperation, KubeObject, StatusCause } from '@yagura/kube';
import { badRequest } from '../http/status.ts';

/** The part of an admission.k8s.io/v1 AdmissionRequest that the webhooks read. */
export interface AdmissionRequest {
  uid: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  namespace?: string;
  name?: string;
  userInfo: { username?: string; groups?: string[] };
  object?: KubeObject | null;
  oldObject?: KubeObject | null;
  dryRun?: boolean;
}

/** What a webhook decides. A refusal with causes is 422 Invalid, one without 400, as KubeVirt's clients expect. */
export type Verdict =
  | { allowed: true; patch?: readonly JsonPatchOperation[]; warnings?: readonly string[] }
  | { allowed: false; causes: readonly StatusCause[] }
  | { allowed: false; message: string; code?: number };

export type Webhook = (request: AdmissionRequest) => Verdict;
/** One that has to ask the cluster first. */
export type AsyncWebhook = (request: AdmissionRequest) => Promise<Verdict>;

/** More causes than this are counted, not told. */
const MAX_CAUSES = 10;

export function parseReview(body: Readonly<Record<string, unknown>>): AdmissionRequest {
  const { kind, apiVersion, request } = body as { kind?: string; apiVersion?: string; request?: AdmissionRequest };
  if (kind !== 'AdmissionReview' || apiVersion !== 'admission.k8s.io/v1')
    throw badRequest(
      `an admission.k8s.io/v1 AdmissionReview is expected, not ${apiVersion ?? 'no apiVersion'} ${kind ?? 'no kind'}`,
    );
  if (typeof request?.uid !== 'string' || request.uid === '')
    throw badRequest('the AdmissionReview has no request.uid');
  if (typeof request.operation !== 'string') throw badRequest('the AdmissionReview has no request.operation');
  return { ...request, userInfo: request.userInfo ?? {} };
}

/** The AdmissionReview that answers. */
export function reviewOf(uid: string, verdict: Verdict): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...responseOf(verdict) } };
}

function responseOf(verdict: Verdict): object {
  if (verdict.allowed) {
    const { patch, warnings } = verdict;
    return {
      allowed: true,
      ...(patch?.length
        ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        : {}),
      ...(warnings?.length ? { warnings } : {}),
    };
  }
  if ('message' in verdict) return { allowed: false, status: { message: verdict.message, code: verdict.code ?? 400 } };
  const told = verdict.causes.slice(0, MAX_CAUSES);
  const more = verdict.causes.length - told.length;
  const message =
    told.map((cause) => cause.message ?? '').join(', ') + (more > 0 ? `, and ${more} more validation errors` : '');
  return { allowed: false, status: { message, reason: 'Invalid', code: 422, details: { causes: told } } };
}
