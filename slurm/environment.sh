# What a job needs besides spsolve itself. Copy this file, make it your cluster's, and name the copy:
#
#   export SPSOLVE_ENVIRONMENT=$HOME/spsolve-environment.sh
#
# The batch files of this folder read it; without that variable they read slurm/environment.sh of
# the folder that sbatch was called in, where there is one.

# Modules: the compiler and MPI that spsolve was built with, and CUDA where it has its GPU part.
# module purge
# module load gcc/12 openmpi/4.1 cuda/13.0

# The program, where it isn't on the PATH.
# export SPSOLVE=$HOME/spsolve/build/bin/spsolve

# How ranks are started; the batch files use "srun --mpi=pmix" where this is not set. See README.md
# of this folder for which to take.
# export SPSOLVE_LAUNCHER="mpirun"

# One thread per processor that a rank was given, each on its own.
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
export OMP_PLACES=${OMP_PLACES:-cores}
export OMP_PROC_BIND=${OMP_PROC_BIND:-close}
