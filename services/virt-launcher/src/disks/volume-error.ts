import { errorMessage } from '@yagura/runtime';

/** What is wrong with the storage behind a volume. */
export type VolumeProblem = 'missing' | 'access' | 'space' | 'unsafe' | 'other';

const BY_CODE: Record<string, VolumeProblem> = {
  ENOENT: 'missing',
  EACCES: 'access',
  EPERM: 'access',
  EROFS: 'access',
  ENOSPC: 'space',
  EDQUOT: 'space',
};

/** The storage of a volume cannot be used as it is; the message names the volume. */
export class VolumeError extends Error {
  override name = 'VolumeError';
  readonly problem: VolumeProblem;

  constructor(volume: string, problem: VolumeProblem, message: string, options?: ErrorOptions) {
    super(`volume "${volume}": ${message}`, options);
    this.problem = problem;
  }

  /** An error of the file system or of a program, told as one of the volume that it was met at. */
  static from(volume: string, error: unknown): VolumeError {
    if (error instanceof VolumeError) return error;
    const problem = BY_CODE[(error as NodeJS.ErrnoException).code ?? ''] ?? 'other';
    return new VolumeError(volume, problem, errorMessage(error), { cause: error });
  }
}
